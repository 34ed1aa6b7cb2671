import type { OauthClient } from '../../contract/oauth-clients.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Shown } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';

export const clientView = (
  client: OauthClient,
  { headline, room, userName }: Pick<Shown, 'headline' | 'room' | 'userName'>,
): View => ({
  value: client,
  human: (style) =>
    (headline ? `${headline(style)}\n` : '') +
    formatDetails(
      client.name,
      [
        ['id', client.client_id],
        ['secret', secretOf(client)],
        ['scopes', client.scopes.join(', ')],
        ['grants', client.grant_types.join(', ')],
        ['redirects', client.redirect_uris?.join(', ')],
        ['rotated', rotated(client)],
        ['created', utcMinute(client.created_at)],
        ['acts as', client.user_id],
        ['created by', client.made_by && userName(client.made_by)],
      ],
      style,
      room,
    ),
});

export const secretOf = ({ secret_hint: hint }: OauthClient): string =>
  hint === undefined ? 'none (public)' : `…${hint}`;

const rotated = ({ rotated_at: at, previous_secret_expires_at: until }: OauthClient) =>
  until === undefined
    ? utcMinute(at)
    : `${utcMinute(at) ?? ''}; the old secret works until ${utcMinute(until)}`;
