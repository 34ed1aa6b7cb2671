import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import type { Attribute } from '../../normaliser.ts';
import { allParts } from '../../related.ts';
import type { Related } from '../../related.ts';
import { at, isUnknown, list, mapList } from '../../values.ts';
import { configuration, parsed } from '../config-item.ts';
import { planned } from '../plan-value.ts';
import { asWritten, readAllStatements } from '../policy-document.ts';

type Field = (raw: RawResource) => unknown;

/** Who holds policies, in the words of each source. The functions are constants: an index is kept for each. */
interface Holder {
  readonly word: 'Role' | 'User' | 'Group';
  /** The holder that an attachment of CloudFormation is about, where it has one and where it has a list. */
  readonly one: Field;
  readonly many: Field;
  readonly oneOfPlan: Field;
  readonly manyOfPlan: Field;
}

export const role: Holder = {
  word: 'Role',
  one: ({ properties }) => properties.RoleName,
  many: ({ properties }) => properties.Roles,
  oneOfPlan: ({ properties }) => properties.role ?? properties.role_name,
  manyOfPlan: ({ properties }) => properties.roles,
};

export const user: Holder = {
  word: 'User',
  one: ({ properties }) => properties.UserName,
  many: ({ properties }) => properties.Users,
  oneOfPlan: ({ properties }) => properties.user ?? properties.user_name,
  manyOfPlan: ({ properties }) => properties.users,
};

export const group: Holder = {
  word: 'Group',
  one: ({ properties }) => properties.GroupName,
  many: ({ properties }) => properties.Groups,
  oneOfPlan: ({ properties }) => properties.group ?? properties.group_name,
  manyOfPlan: ({ properties }) => properties.groups,
};

/** What an attachment of a plan attaches: one policy, or all that a holder may have. A constant, as above. */
export const attachedOfPlan: Field = ({ properties }) =>
  properties.policy_arn ?? properties.policy_arns;

/** Declares what the three functions below give. */
export const policyAttributes = (whose: string) =>
  ({
    'policy.statements': {
      type: 'list<Statement>',
      meaning: `statements of all inline policies of ${whose}`,
      absent: [],
    },
    inline_policies: {
      type: 'list<string>',
      meaning: 'names of the inline policies; an empty string for a policy without a name',
      absent: [],
    },
    managed_policy_arns: {
      type: 'list<string>',
      meaning: `managed policies attached directly to ${whose}`,
      absent: [],
    },
  }) as const satisfies Record<string, Attribute>;

/** Policies of a role, user or group in a template: its own, and those that other resources attach. */
export function templatePolicies(raw: RawResource, holder: Holder, related: Related) {
  const separate = allParts(related, raw, 'AWS::IAM::Policy', holder.many);
  const attached = allParts(related, raw, `AWS::IAM::${holder.word}Policy`, holder.one).map(
    ({ properties }) => properties,
  );
  // A document right in the resource is not CloudFormation's form, but it is what its author means to grant.
  const misplaced = at(raw.properties, 'PolicyDocument');
  return policies(
    joined(at(raw.properties, 'Policies'), [
      ...attached,
      ...(misplaced === undefined ? [] : [{ PolicyDocument: misplaced }]),
    ]),
    { name: 'PolicyName', document: 'PolicyDocument' },
    joined(at(raw.properties, 'ManagedPolicyArns'), [
      ...related
        .referring(raw, 'AWS::IAM::ManagedPolicy', holder.many)
        .map(({ address }) => new UnknownValue(`Ref ${address}`, { target: address })),
      ...related
        .possible(raw, 'AWS::IAM::ManagedPolicy', holder.many)
        .flatMap(({ properties }) => Object.values(properties).slice(0, 1)),
    ]),
    separate,
  );
}

/** … in a plan. */
export function planPolicies(raw: RawResource, holder: Holder, related: Related) {
  return policies(
    joined(
      planned(raw.properties, 'inline_policy'),
      allParts(related, raw, `AWS::IAM::${holder.word}Policy`, holder.oneOfPlan).map(
        ({ properties }) => properties,
      ),
    ),
    { name: 'name', document: 'policy' },
    joined(
      planned(raw.properties, 'managed_policy_arns'),
      [
        ...allParts(related, raw, `AWS::IAM::${holder.word}PolicyAttachment`, holder.oneOfPlan),
        ...allParts(related, raw, 'AWS::IAM::PolicyAttachment', holder.manyOfPlan),
      ].flatMap(attachedOfPlan),
    ),
  );
}

/** … in an item of AWS Config. */
export const itemPolicies = (raw: RawResource, holder: Holder) =>
  policies(
    list(parsed(configuration(raw, `${holder.word.toLowerCase()}PolicyList`))),
    { name: 'policyName', document: 'policyDocument' },
    mapList(configuration(raw, 'attachedManagedPolicies'), (one) => at(one, 'policyArn')),
  );

type Items = readonly unknown[] | UnknownValue;

const policies = (
  inline: Items,
  field: { readonly name: string; readonly document: string },
  arns: Items,
  separate: readonly RawResource[] = [],
) => ({
  'policy.statements':
    isUnknown(inline) && separate.length === 0
      ? inline
      : readAllStatements(
          isUnknown(inline)
            ? [{ Statement: inline }]
            : inline.map((one) => at(one, field.document)),
          separate.map(({ type, properties }) => ({
            type,
            document: properties[field.document],
          })),
        ),
  inline_policies: mapList(
    joined(
      inline,
      separate.map(({ properties }) => properties),
    ),
    (one) => at(one, field.name) ?? '',
  ),
  managed_policy_arns: mapList(arns, asWritten),
});

/** A list and what is joined to it. One that may be absent, and that nothing is joined to, is not known as a whole. */
function joined(own: unknown, more: readonly unknown[]): Items {
  const items = list(own);
  if (!isUnknown(items)) return [...items, ...more];
  return more.length === 0 && !items.present ? items : [...more, items];
}
