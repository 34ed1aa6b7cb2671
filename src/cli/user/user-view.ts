import type { User } from '../../contract/users.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Shown } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';

export const userView = (
  user: User,
  { headline, room, userName }: Pick<Shown, 'headline' | 'room' | 'userName'>,
): View => ({
  value: user,
  human: (style) =>
    (headline ? `${headline(style)}\n` : '') +
    formatDetails(
      user.email,
      [
        ['id', user.id],
        ['name', user.name],
        ['status', user.status],
        ['roles', user.roles.join(', ')],
        ['scopes', user.scopes.join(', ') || 'none'],
        ['second factor', user.second_factor ? 'yes' : 'no'],
        ['company account', accountOf(user)],
        ['last login', utcMinute(user.last_login_at) ?? 'never'],
        ['created', `${utcMinute(user.created_at)} by ${userName(user.created_by)}`],
        ['updated', utcMinute(user.updated_at)],
      ],
      style,
      room,
    ),
});

function accountOf({ company_account: account }: User): string | undefined {
  if (!account) return undefined;
  return account.managed
    ? `${account.name}; roles are set by the rules of the company account`
    : account.name;
}
