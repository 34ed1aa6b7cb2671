import { normaliser } from '../../normaliser.ts';
import { at } from '../../values.ts';
import { configuration } from '../config-item.ts';
import { readStatements } from '../policy-document.ts';
import {
  itemPolicies,
  planPolicies,
  policyAttributes,
  role,
  templatePolicies,
} from './iam-holder.ts';

export const iamRole = normaliser({
  types: ['AWS::IAM::Role'],
  source: 'AWS IAM API Reference, API version 2010-05-08',
  attributes: {
    'trust_policy.statements': {
      type: 'list<Statement>',
      meaning: 'AssumeRolePolicyDocument',
      absent: [],
    },
    ...policyAttributes('the role'),
  },
  from: {
    cloudformation: (raw, related) => ({
      'trust_policy.statements': readStatements(at(raw.properties, 'AssumeRolePolicyDocument')),
      ...templatePolicies(raw, role, related),
    }),
    terraform: (raw, related) => ({
      'trust_policy.statements': readStatements(at(raw.properties, 'assume_role_policy')),
      ...planPolicies(raw, role, related),
    }),
    'aws-config': (raw) => ({
      'trust_policy.statements': readStatements(configuration(raw, 'assumeRolePolicyDocument')),
      ...itemPolicies(raw, role),
    }),
  },
});
