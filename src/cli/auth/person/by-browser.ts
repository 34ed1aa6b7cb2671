import type { Context } from '../../context.ts';
import { GovctlError } from '../../../contract/errors.ts';
import { openOutside } from '../../terminal/open-outside.ts';
import { listenForAnswer } from './listener.ts';
import type { OauthClient, PersonTokens } from './oauth-client.ts';
import { asLoginError, personTokens } from './oauth-client.ts';

/** Milliseconds that a person has in the browser. */
const longestLogin = 5 * 60_000;

/**
 * Logs in with the browser of this machine: an authorization code with PKCE, which comes back to a port of 127.0.0.1.
 * @param scope asked for, separated by spaces
 */
export async function logInByBrowser(
  { world, progress }: Context,
  { lib, config }: OauthClient,
  scope: string,
): Promise<PersonTokens> {
  const state = lib.randomState();
  const verifier = lib.randomPKCECodeVerifier();
  const listener = await listenForAnswer(state);
  const late = AbortSignal.timeout(longestLogin);
  try {
    const address = lib.buildAuthorizationUrl(config, {
      redirect_uri: listener.redirectUri,
      scope,
      state,
      code_challenge: await lib.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const isOpened = await openOutside(world, address.href, world.packageRoot);
    const what = isOpened
      ? 'Log in with your browser. If no page opens, open this URL on this machine:'
      : 'No browser found. Open this URL on this machine:';
    // What is asked of the person is shown even with --quiet.
    await world.terminal.stderr.write(`${what}\n${address.href}\n`);
    const back = await progress('Waiting for the browser login', () =>
      listener.answer(AbortSignal.any([world.signal, late])),
    );
    const asked = world.now();
    const answer = await lib.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    return personTokens(answer, asked);
  } catch (error) {
    if (world.signal.aborted) {
      throw new GovctlError('interrupted', 'Interrupted; nothing was changed', { cause: error });
    }
    if (late.aborted) {
      throw new GovctlError('not_logged_in', 'The login timed out after 5 minutes', {
        hint: 'Run `govctl auth login` again. Without a browser on this machine, use --device.',
      });
    }
    throw await asLoginError(error, 'The browser login');
  } finally {
    await listener.close();
  }
}
