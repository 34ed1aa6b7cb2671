import type { Transport } from '../../client/transport.ts';
import type { World } from '../context.ts';
import type { AccessToken } from './exchange-token.ts';
import { isFresh, refreshToken } from './exchange-token.ts';
import { withLoginLock } from './login-lock.ts';
import type { Warn } from './private-file.ts';
import type { Profile } from './profiles.ts';
import { keptToken, readSecrets, secretIn, secretStoreOf, withToken } from './secret-store.ts';

interface Means {
  readonly world: World;
  /** To the service that the login is for. */
  readonly transport: Transport;
  readonly warn: Warn;
}

/**
 * A fresh access token of a person. Of commands that run at once, one gets it from the service; the others take what it kept.
 * A refresh token works once: the new one is kept before anything else is done. Whoever kills govctl between the
 * service's answer and that must log in again, as the service ends a login whose token is used twice.
 * @param refused an access token that the service no longer takes
 * @throws GovctlError not_logged_in when the service has ended the login
 */
export const refreshLogin = (
  { name, profile }: { readonly name: string; readonly profile: Profile },
  { world, transport, warn }: Means,
  refused?: string,
): Promise<AccessToken> =>
  // The lock is a file beside the login: where nothing can be kept, no refresh token is used up.
  withLoginLock(world, name, warn, async () => {
    const store = secretStoreOf(world, profile.stored_in, warn);
    const secrets = await readSecrets(store, name, profile);
    const kept = keptToken(secrets);
    if (kept && kept.value !== refused && isFresh(kept, world.now)) return kept;
    const former = secretIn(secrets, name);
    const token = await refreshToken(transport, { name, refreshToken: former }, world.now);
    const renewed = { ...secrets, secret: token.refreshToken ?? former };
    await store
      .write(name, withToken(renewed, token))
      .catch((error: unknown) =>
        warn(
          `the renewed login could not be stored, so the next command requires a new login: ${(error as Error).message}`,
        ),
      );
    return token;
  });
