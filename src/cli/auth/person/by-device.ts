import { setTimeout as sleep } from 'node:timers/promises';
import { GovctlError } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { sameOrigin } from '../../credentials/base-url.ts';
import { count } from '../../terminal/printable.ts';
import type { OauthClient, PersonTokens } from './oauth-client.ts';
import { asLoginError, personTokens } from './oauth-client.ts';
import { deviceGrant } from './read-offer.ts';

/** Seconds that a code counts at most, whatever the service says. */
const longestCode = 30 * 60;
/** Seconds between two questions, whatever the service says. */
const intervals = { least: 1, most: 60 };
/** Seconds more between two questions, where the service wants fewer of them. */
const slowDown = 5;

/**
 * Logs in with a code that the person types into a page of the service, on whatever device (RFC 8628).
 * @param scope asked for, separated by spaces
 */
export async function logInByDevice(
  { world, progress, talkStyle }: Context,
  { lib, config }: OauthClient,
  { baseUrl, scope }: { readonly baseUrl: string; readonly scope: string },
): Promise<PersonTokens> {
  let late: AbortSignal | undefined;
  try {
    const started = await lib.initiateDeviceAuthorization(config, { scope });
    const { user_code: code, verification_uri: page } = started;
    if (!URL.canParse(page) || !sameOrigin(page, baseUrl) || !/^[A-Za-z0-9-]{4,32}$/.test(code)) {
      throw new GovctlError(
        'bad_answer',
        'The service answered with a code or an address that are none of its own',
        { hint: 'Check that the base URL is the governance service.' },
      );
    }
    const seconds = Math.min(started.expires_in, longestCode);
    const interval = Math.min(Math.max(started.interval ?? 5, intervals.least), intervals.most);
    late = AbortSignal.timeout(seconds * 1_000);
    const lifetime =
      seconds < 120
        ? count(Math.floor(seconds), 'second')
        : count(Math.floor(seconds / 60), 'minute');
    // What is asked of the person is shown even with --quiet.
    await world.terminal.stderr.write(
      `Open ${page} on any device, and enter the code ${talkStyle.bold(code)}.\n` +
        `The code works for ${lifetime}.\n`,
    );
    const signal = AbortSignal.any([world.signal, late]);
    return await progress('Waiting for the code to be entered', async () => {
      for (let wait = interval; ;) {
        await sleep(wait * 1_000, undefined, { signal });
        const asked = world.now();
        try {
          const answer = await lib.genericGrantRequest(config, deviceGrant, {
            device_code: started.device_code,
          });
          return personTokens(answer, asked);
        } catch (error) {
          if (!(error instanceof lib.ResponseBodyError)) throw error;
          if (error.error === 'slow_down') wait += slowDown;
          else if (error.error !== 'authorization_pending') throw error;
        }
      }
    });
  } catch (error) {
    if (world.signal.aborted) {
      throw new GovctlError('interrupted', 'Interrupted; nothing was changed', { cause: error });
    }
    if (
      late?.aborted === true ||
      (error instanceof lib.ResponseBodyError && error.error === 'expired_token')
    ) {
      throw new GovctlError('not_logged_in', 'The code has expired before it was entered', {
        hint: 'Run `govctl auth login --device` for a new one.',
      });
    }
    throw await asLoginError(error, 'The login with a device code');
  }
}
