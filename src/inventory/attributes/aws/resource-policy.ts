import { normaliser } from '../normaliser.ts';
import type { Normaliser } from '../normaliser.ts';
import { at } from '../values.ts';
import { readStatements } from './policy-document.ts';

/** The normaliser of a type that is a resource policy: a document that is kept apart from what it is about. */
export const resourcePolicy = (type: string, meaning: string, source: string): Normaliser =>
  normaliser({
    types: [type],
    source,
    attributes: {
      'policy.statements': { type: 'list<Statement>', meaning, absent: [] },
    },
    from: {
      cloudformation: ({ properties }) => ({
        'policy.statements': readStatements(at(properties, 'PolicyDocument')),
      }),
      terraform: ({ properties }) => ({
        'policy.statements': readStatements(at(properties, 'policy')),
      }),
    },
  });
