import type { AnsweredExemption } from '../../contract/exemptions.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { readOwnership, withoutOwnership } from '../../project/compare/ownership.ts';
import type { Shown } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';

export const exemptionView = (
  exemption: AnsweredExemption,
  { headline, userName }: Pick<Shown, 'headline' | 'userName'>,
): View => ({
  value: exemption,
  human: (style) => {
    const { owner, key } = readOwnership(exemption.tags ?? []);
    const details = formatDetails(
      exemption.policy,
      [
        ['id', exemption.id],
        ['project', exemption.project],
        ['resources', exemption.resources.join(', ')],
        ['reason', exemption.reason],
        ['owner', exemption.owner],
        ['category', exemption.category],
        ['expires', `${exemption.expires} (${exemption.status})`],
        ['tags', withoutOwnership(exemption.tags ?? []).join(', ')],
        ['git', owner && `managed by project ${owner}${key ? `, key ${key}` : ''}`],
        ['created', `${utcMinute(exemption.created_at)} by ${userName(exemption.created_by)}`],
        ['updated', utcMinute(exemption.updated_at)],
      ],
      style,
    );
    return `${headline ? `${headline(style)}\n` : ''}${details}`;
  },
});
