import type { RawResource } from '../../model.ts';
import { joinedAttribute } from '../joined.ts';
import { normaliser } from '../normaliser.ts';
import type { Attribute, Normaliser } from '../normaliser.ts';
import { at } from '../values.ts';
import { readStatements, requiredDocument } from './policy-document.ts';

/** What a policy is part of, and the property that names it, in the words of templates and of Terraform. */
interface PartOf {
  readonly whole: string;
  readonly names: readonly [template: string, terraform: string];
  /** The document's property in a template, where it isn't `PolicyDocument`. */
  readonly document?: string;
}

/** The normaliser of a type that is a resource policy: a document that is kept apart from what it is about. */
export const resourcePolicy = (type: string, meaning: string, source: string): Normaliser =>
  normaliser({
    types: [type],
    source,
    attributes: statements(meaning),
    from: {
      cloudformation: (raw) => fromDocument.cloudformation(raw),
      terraform: fromDocument.terraform,
    },
  });

/** The same for a policy that is judged with what it is about, where both are in the same input. */
export const partPolicy = (
  type: string,
  meaning: string,
  source: string,
  { whole, names: [inTemplate, inTerraform], document }: PartOf,
): Normaliser =>
  normaliser({
    types: [type],
    source,
    attributes: {
      ...statements(meaning),
      ...joinedAttribute('the resource that the policy applies to', whole),
    },
    from: {
      cloudformation: (raw, related) => ({
        ...fromDocument.cloudformation(raw, document),
        joined: related.find(raw.properties[inTemplate], whole) !== undefined,
      }),
      terraform: (raw, related) => ({
        ...fromDocument.terraform(raw),
        joined: related.find(raw.properties[inTerraform], whole) !== undefined,
      }),
    },
  });

const statements = (meaning: string) =>
  ({
    'policy.statements': { type: 'list<Statement>', meaning, absent: [] },
  }) as const satisfies Record<string, Attribute>;

const fromDocument = {
  cloudformation: ({ properties }: RawResource, document = 'PolicyDocument') => ({
    'policy.statements': readStatements(requiredDocument(at(properties, document))),
  }),
  terraform: ({ properties }: RawResource) => ({
    'policy.statements': readStatements(requiredDocument(at(properties, 'policy'))),
  }),
};
