import { normaliser } from '../../normaliser.ts';
import {
  group,
  itemPolicies,
  planPolicies,
  policyAttributes,
  templatePolicies,
} from './iam-holder.ts';

export const iamGroup = normaliser({
  types: ['AWS::IAM::Group'],
  source: 'AWS IAM API Reference, API version 2010-05-08',
  attributes: policyAttributes('the group'),
  from: {
    cloudformation: (raw, related) => templatePolicies(raw, group, related),
    terraform: (raw, related) => planPolicies(raw, group, related),
    'aws-config': (raw) => itemPolicies(raw, group),
  },
});
