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
/** Seconds more between two questions, for good, where the service wants fewer of them. */
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
  try {
    const started = await lib.initiateDeviceAuthorization(config, { scope });
    const { user_code: code, verification_uri: page } = started;
    if (!URL.canParse(page) || !sameOrigin(page, baseUrl) || !/^[A-Za-z0-9-]{4,32}$/.test(code)) {
      throw new GovctlError('bad_answer', 'The service returned an invalid code or URL', {
        hint: 'Check that the base URL points to the governance service.',
      });
    }
    const seconds = Math.min(started.expires_in, longestCode);
    const interval = Math.min(Math.max(started.interval ?? 5, intervals.least), intervals.most);
    const lifetime =
      seconds < 120
        ? count(Math.floor(seconds), 'second')
        : count(Math.floor(seconds / 60), 'minute');
    // What is asked of the person is shown even with --quiet.
    await world.terminal.stderr.write(
      `Open ${page} on any device, and enter the code ${talkStyle.bold(code)}.\n` +
        `The code expires in ${lifetime}.\n`,
    );
    return await progress('Waiting for the code', () =>
      askUntilEntered(
        async () => {
          const asked = world.now();
          const answer = await lib
            .genericGrantRequest(config, deviceGrant, { device_code: started.device_code })
            .catch((error: unknown) => {
              const said = error instanceof lib.ResponseBodyError ? error.error : undefined;
              if (said === 'slow_down' || said === 'authorization_pending') return said;
              throw said === 'expired_token' ? expired(error) : error;
            });
          return typeof answer === 'string' ? answer : personTokens(answer, asked);
        },
        { interval, lifetime: seconds },
        {
          now: world.now,
          sleep: (ms) => sleep(ms, undefined, { signal: world.signal }),
        },
      ),
    );
  } catch (error) {
    if (world.signal.aborted) {
      throw new GovctlError('interrupted', 'Interrupted; nothing was changed', { cause: error });
    }
    throw await asLoginError(error, 'The device login');
  }
}

const expired = (cause?: unknown): GovctlError =>
  new GovctlError('not_logged_in', 'The code expired before it was entered', {
    cause,
    hint: 'To get a new code, run `govctl auth login --device`.',
  });

interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * Asks until the code was entered: the first time after one interval, and less often once the service says that it is asked too
 * often (RFC 8628, section 3.5).
 * @param code `interval` and `lifetime` in seconds
 * @throws GovctlError not_logged_in when the code has expired
 */
export async function askUntilEntered<T extends object>(
  ask: () => Promise<T | 'authorization_pending' | 'slow_down'>,
  { interval, lifetime }: { readonly interval: number; readonly lifetime: number },
  { now, sleep }: Clock,
): Promise<T> {
  const end = now() + lifetime * 1_000;
  for (let wait = interval * 1_000; ;) {
    const left = end - now();
    await sleep(Math.min(wait, Math.max(left, 0)));
    if (wait >= left) throw expired();
    const answer = await ask();
    if (typeof answer === 'object') return answer;
    if (answer === 'slow_down') wait += slowDown * 1_000;
  }
}
