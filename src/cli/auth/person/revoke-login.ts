import { GovctlError } from '../../../contract/errors.ts';
import { createTransport } from '../../../client/transport.ts';
import type { Context } from '../../context.ts';
import { cliClientId } from '../../../contract/auth.ts';
import type { Profile } from '../../credentials/profiles.ts';
import { transportOptions } from '../../objects/connect.ts';

interface Revoked {
  readonly refreshToken?: string;
  readonly accessToken?: string | undefined;
}

/**
 * Ends a login at its service (RFC 7009): the refresh token of a person first, with which services end what was got by it, too. A
 * CI job has an access token only.
 * @throws GovctlError when the service can't be reached, or does not do it
 */
export async function revokeLogin(
  context: Context,
  profile: Pick<Profile, 'base_url' | 'client_cert' | 'client_key'>,
  { refreshToken, accessToken }: Revoked,
): Promise<void> {
  const transport = createTransport({
    ...transportOptions(context, profile.base_url, profile),
    retries: 1,
  });
  const path = '/auth/revoke';
  for (const [hint, token] of [
    ['refresh_token', refreshToken],
    ['access_token', accessToken],
  ] as const) {
    if (token === undefined) continue;
    const answer = await transport.exchange('POST', path, {
      anonymous: true,
      repeatable: true,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        client_id: cliClientId,
        token,
        token_type_hint: hint,
      }).toString(),
    });
    if (answer.ok) continue;
    throw new GovctlError('bad_answer', `POST ${path} returned HTTP ${answer.status}`);
  }
}
