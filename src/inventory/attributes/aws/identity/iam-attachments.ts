import type { RawResource } from '../../../model.ts';
import { joinedAttribute } from '../../joined.ts';
import { normaliser } from '../../normaliser.ts';
import type { Normaliser } from '../../normaliser.ts';
import { every, list, mapList } from '../../values.ts';
import { asWritten } from '../policy-document.ts';
import { attachedOfPlan, group, role, user } from './iam-holder.ts';

/** Managed policies that are attached to a holder by a resource of its own; only Terraform has them. */
const attachment = (
  type: string,
  whole: string,
  holders: (raw: RawResource) => readonly (readonly [type: string, named: unknown])[],
): Normaliser =>
  normaliser({
    types: [type],
    source: 'AWS IAM API Reference, API version 2010-05-08',
    attributes: {
      managed_policy_arns: {
        type: 'list<string>',
        meaning: 'ARN of the attached managed policy',
        absent: [],
      },
      ...joinedAttribute('the identity that the policy is attached to', whole),
    },
    from: {
      terraform: (raw, related) => {
        const named = holders(raw).flatMap(([holder, names]) => {
          const all = list(names);
          return (Array.isArray(all) ? all : [all]).map((name) => related.find(name, holder));
        });
        return {
          managed_policy_arns: mapList(attachedOfPlan(raw), asWritten),
          joined: named.length > 0 && every(named, (one) => one !== undefined),
        };
      },
    },
  });

const holders = [role, user, group];

export const iamAttachments: readonly Normaliser[] = [
  ...holders.map(({ word, oneOfPlan }) =>
    attachment(`AWS::IAM::${word}PolicyAttachment`, `AWS::IAM::${word}`, (raw) => [
      [`AWS::IAM::${word}`, oneOfPlan(raw)],
    ]),
  ),
  attachment('AWS::IAM::PolicyAttachment', 'AWS::IAM::Role', (raw) =>
    holders.map(({ word, manyOfPlan }) => [`AWS::IAM::${word}`, manyOfPlan(raw)] as const),
  ),
];
