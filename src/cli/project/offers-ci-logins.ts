import * as z from 'zod';
import { createTransport } from '../../client/transport.ts';
import { tokenExchange } from '../../contract/auth.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { sameOrigin } from '../credentials/base-url.ts';
import { configDir } from '../credentials/config-dir.ts';
import { ownBaseUrl } from '../credentials/find-login.ts';
import type { Profile } from '../credentials/profiles.ts';
import { readProfiles } from '../credentials/profiles.ts';
import { transportOptions } from '../objects/connect.ts';

/** RFC 8414. */
const Metadata = z.looseObject({ grant_types_supported: z.array(z.string()) });

/** Milliseconds: a new repo waits for no service. */
const within = 3_000;

/**
 * Whether the service of this user, if there is one, lets CI jobs log in by their ID tokens. Asked without a login, at an
 * address of the user's own; one that does not answer counts as one that does not.
 */
export async function offersCiLogins(context: Context): Promise<boolean> {
  const own = ownBaseUrl(context);
  try {
    const profile = await profileIn(context);
    const baseUrl = own ?? profile?.base_url;
    if (baseUrl === undefined) return false;
    const isItsOwn = profile && sameOrigin(profile.base_url, baseUrl);
    const transport = createTransport({
      ...transportOptions(context, baseUrl, isItsOwn ? profile : undefined),
      retries: 0,
      timeoutMs: within,
    });
    const answer = await transport.send('GET', '/.well-known/oauth-authorization-server', {
      anonymous: true,
    });
    const metadata = Metadata.safeParse(JSON.parse(await answer.text()));
    return metadata.data?.grant_types_supported.includes(tokenExchange.grant) === true;
  } catch (error) {
    if (error instanceof GovctlError && error.error === 'interrupted') throw error;
    return false; // no such document, no JSON, nobody answers, or the profiles are broken
  }
}

async function profileIn({ flags, world, warn }: Context): Promise<Profile | undefined> {
  const { profiles, current } = await readProfiles(configDir(world.env), warn);
  const name = flags.profile ?? current;
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}
