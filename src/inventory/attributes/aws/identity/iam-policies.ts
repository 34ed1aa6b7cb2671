import { normaliser } from '../../normaliser.ts';
import { at, isUnknown, list } from '../../values.ts';
import { configuration } from '../config-item.ts';
import { readStatements } from '../policy-document.ts';
import { attachedOfPlan, user } from './iam-holder.ts';

/** A policy of one's own, and the inline policy that a template attaches as a resource. */
export const iamPolicies = normaliser({
  types: ['AWS::IAM::ManagedPolicy', 'AWS::IAM::Policy'],
  source: 'AWS IAM API Reference, API version 2010-05-08',
  attributes: {
    'policy.statements': {
      type: 'list<Statement>',
      meaning: 'statements of the policy document; for a managed policy, of its default version',
      absent: [],
    },
    users: {
      type: 'list<string>',
      meaning: 'users that the policy is attached to directly',
      absent: [],
    },
  },
  from: {
    cloudformation: ({ properties }) => ({
      'policy.statements': readStatements(at(properties, 'PolicyDocument')),
      users: attached(at(properties, 'Users')),
    }),
    terraform: (raw, related) => ({
      'policy.statements': readStatements(at(raw.properties, 'policy')),
      users: [
        ...related
          .referring(raw, 'AWS::IAM::UserPolicyAttachment', attachedOfPlan)
          .map(user.oneOfPlan),
        ...related
          .referring(raw, 'AWS::IAM::PolicyAttachment', attachedOfPlan)
          .flatMap(({ properties }) => list(properties.users)),
      ],
    }),
    'aws-config': (raw) => ({
      'policy.statements': readStatements(defaultDocument(configuration(raw, 'policyVersionList'))),
    }),
  },
});

/** A list that only a parameter gives has somebody in it. */
function attached(users: unknown) {
  const items = list(users);
  return isUnknown(items) && items.present ? [items] : items;
}

function defaultDocument(versions: unknown): unknown {
  const all = Array.isArray(versions) ? (versions as unknown[]) : [];
  return at(
    all.find((version) => at(version, 'isDefaultVersion') === true),
    'document',
  );
}
