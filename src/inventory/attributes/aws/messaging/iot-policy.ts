import { normaliser } from '../../normaliser.ts';
import { at } from '../../values.ts';
import { readStatements } from '../policy-document.ts';

export const iotPolicy = normaliser({
  types: ['AWS::IoT::Policy'],
  source: 'AWS IoT API Reference, API version 2015-05-28',
  attributes: {
    'policy.statements': {
      type: 'list<Statement>',
      meaning: 'permissions of devices with this policy',
      absent: [],
    },
  },
  from: {
    cloudformation: ({ properties }) => read(at(properties, 'PolicyDocument')),
    terraform: ({ properties }) => read(at(properties, 'policy')),
    'aws-config': ({ properties }) => read(at(properties, 'PolicyDocument')),
  },
});

const read = (document: unknown) => ({ 'policy.statements': readStatements(document) });
