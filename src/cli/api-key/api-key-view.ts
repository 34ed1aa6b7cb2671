import type { ApiKey } from '../../contract/api-keys.ts';
import type { Shown } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';

/** @param now milliseconds since the epoch */
export const isExpired = ({ expires_at: at }: ApiKey, now: number): boolean =>
  at !== undefined && Date.parse(at) <= now;

export const apiKeyView = (
  key: ApiKey,
  { headline, now }: Pick<Shown, 'headline' | 'now'>,
): View => ({
  value: key,
  human: (style) =>
    (headline ? `${headline(style)}\n` : '') +
    formatDetails(
      key.name,
      [
        ['id', key.id],
        ['key', `…${key.key_hint}`],
        ['scopes', key.scopes.join(', ')],
        ['expires', `${key.expires_at ?? 'never'}${isExpired(key, now) ? ' (expired)' : ''}`],
        ['disabled', key.disabled_at],
        ['last used', key.last_used_at ?? 'never'],
        ['created', key.created_at],
        ['acts as', key.user_id],
        ...(key.made_by === undefined ? [] : [['made by', key.made_by] as const]),
      ],
      style,
    ),
});
