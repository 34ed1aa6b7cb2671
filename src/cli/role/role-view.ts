import type { Role } from '../../contract/roles.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Shown } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';

export const roleView = (
  role: Role,
  { headline, room, userName }: Pick<Shown, 'headline' | 'room' | 'userName'>,
): View => ({
  value: role,
  human: (style) =>
    (headline ? `${headline(style)}\n` : '') +
    formatDetails(
      role.name,
      [
        ['about', role.description],
        ['scopes', role.scopes.join(', ')],
        ['built in', role.built_in ? 'yes' : 'no'],
        [
          'created',
          role.created_at && `${utcMinute(role.created_at)} by ${userName(role.created_by ?? '')}`,
        ],
        ['updated', utcMinute(role.updated_at)],
      ],
      style,
      room,
    ),
});
