import type { ApiKey } from '../../contract/api-keys.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Shown } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';

/** @param now milliseconds since the epoch */
export const isExpired = ({ expires_at: at }: ApiKey, now: number): boolean =>
  at !== undefined && Date.parse(at) <= now;

const usedAt = ({ last_used_at: at, last_used_ip: ip }: ApiKey): string =>
  `${utcMinute(at) ?? 'never'}${ip === undefined ? '' : ` from ${ip}`}`;

const rotated = ({ rotated_at: at, previous_key_expires_at: until }: ApiKey) =>
  until === undefined
    ? utcMinute(at)
    : `${utcMinute(at) ?? ''}; the old key works until ${utcMinute(until)}`;

export const apiKeyView = (
  key: ApiKey,
  { headline, now, room, userName }: Omit<Shown, 'glyphs' | 'named'>,
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
        [
          'expires',
          `${utcMinute(key.expires_at) ?? 'never'}${isExpired(key, now) ? ' (expired)' : ''}`,
        ],
        ['disabled', utcMinute(key.disabled_at)],
        ['addresses', key.ip_allow_list?.join(', ')],
        ['countries', key.countries?.join(', ')],
        ['signatures', key.require_signature ? 'required' : undefined],
        ['last used', usedAt(key)],
        ['rotated', rotated(key)],
        ['created', utcMinute(key.created_at)],
        ['acts as', key.user_id],
        ...(key.made_by === undefined ? [] : [['created by', userName(key.made_by)] as const]),
      ],
      style,
      room,
    ),
});
