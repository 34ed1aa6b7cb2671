import type { Trust } from '../../contract/trusts.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Shown } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';

export const trustView = (
  rule: Trust,
  { headline, room, userName }: Pick<Shown, 'headline' | 'room' | 'userName'>,
): View => ({
  value: rule,
  human: (style) =>
    (headline ? `${headline(style)}\n` : '') +
    formatDetails(
      rule.name,
      [
        ['id', rule.id],
        ['provider', rule.provider],
        ['issuer', rule.issuer],
        ['repository', rule.repository],
        ['repository ID', rule.repository_id],
        ['ref', rule.ref],
        ['environment', rule.environment],
        ['events', rule.events.join(', ')],
        ['fork events', rule.allow_pull_request_target ? 'allowed' : undefined],
        ['scopes', rule.scopes.join(', ')],
        ['created', `${utcMinute(rule.created_at)} by ${userName(rule.made_by)}`],
        ['updated', utcMinute(rule.updated_at)],
        ['last used', utcMinute(rule.last_used_at) ?? 'never'],
      ],
      style,
      room,
    ),
});
