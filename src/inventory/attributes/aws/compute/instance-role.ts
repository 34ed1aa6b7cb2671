import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import type { Attribute } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, isSet } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

export const instanceRoleAttributes = {
  'role.policy.statements': {
    type: 'list<Statement>',
    meaning:
      'statements of all inline policies of the role in the instance profile, if both are in the same input; empty without an instance profile',
    absent: [],
  },
  'role.managed_policy_arns': {
    type: 'list<string>',
    meaning: 'managed policies attached to the role in the instance profile',
    absent: [],
  },
} as const satisfies Record<string, Attribute>;

/** What the role of an instance may do; `policiesOf` reads a role. A profile or role that is elsewhere may do anything. */
export function roleOfProfile(
  profile: unknown,
  related: Related,
  policiesOf: (role: RawResource) => Readonly<Record<string, unknown>>,
) {
  if (isSet(profile) === false) return {};
  const properties = related.find(profile, 'AWS::IAM::InstanceProfile')?.properties;
  const named =
    at(field(properties, 'Roles'), 0) ?? planned(properties, 'role') ?? at(properties, 'roles', 0);
  const role = related.find(named, 'AWS::IAM::Role');
  const policies = role && policiesOf(role);
  return {
    'role.policy.statements': policies ? policies['policy.statements'] : notInInput,
    'role.managed_policy_arns': policies ? policies.managed_policy_arns : notInInput,
  };
}

const notInInput = new UnknownValue('the role of an instance profile that is not in this input', {
  present: false,
});
