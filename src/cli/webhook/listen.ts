import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { EventType } from '../../contract/events.ts';
import { eventTypes } from '../../contract/events.ts';
import type { Context } from '../context.ts';
import { isLoopback } from '../credentials/base-url.ts';
import { count, printableLine } from '../terminal/printable.ts';
import { serviceNow } from '../service-clock.ts';
import { openRows } from '../terminal/row-writer.ts';
import { parsePort } from '../server/port.ts';
import { parseTarget } from './create.ts';
import type { DeliveryDesk } from './delivery-desk.ts';
import { createDeliveryDesk } from './delivery-desk.ts';
import { readKeys } from './listen-keys.ts';
import { readSecret } from './read-secret.ts';
import { startReceiver } from './receiver.ts';
import type { Registered } from './temporary-webhook.ts';
import {
  newPath,
  registerTemporary,
  removeLeftovers,
  removeTemporary,
} from './temporary-webhook.ts';
import { bothOf, parseEventTypes } from './webhook-fields.ts';

export interface ListenOptions {
  readonly event?: readonly string[];
  /** Another name of `event`. */
  readonly events?: readonly string[];
  readonly forward?: string;
  readonly port: string;
  readonly publicUrl?: string;
  readonly secretEnv?: string;
  readonly count?: string;
  readonly timeout?: string;
}

interface Settings {
  readonly events: readonly EventType[];
  readonly target: URL | undefined;
  readonly port: number;
  readonly publicUrl: string | undefined;
  readonly count: number;
  readonly timeoutMs: number | undefined;
}

/** 0 at Ctrl-C, q, --count or the end of --timeout; 2 where a signature did not fit; 8 where --count was not reached. */
export async function runListen(context: Context, options: ListenOptions): Promise<ExitCode> {
  const settings = parseSettings(options);
  const client = await context.client();
  const { baseUrl } = client;
  checkReachable(baseUrl, settings);
  const { secret } = await readSecret(
    context,
    options.secretEnv === undefined ? { generateSecret: true } : { secretEnv: options.secretEnv },
  );
  const rows = await openRows(context.flags.output, context.world.terminal);
  try {
    const end = createEnd(context, settings);
    const desk = createDeliveryDesk(context, {
      secret,
      target: settings.target,
      most: settings.count,
      rows,
      failed: end.failed,
      now: () => serviceNow(context, client),
      quit: end.quit,
    });
    const path = newPath();
    const receiver = await startReceiver({ port: settings.port, path }, desk.receive, end.answered);
    const url = `${settings.publicUrl ?? `http://127.0.0.1:${receiver.port}`}${path}`;
    const registered: Registered = { url, state: 'none' };
    try {
      await context.progress('Registering a webhook', async () => {
        await removeLeftovers(context, client);
        await registerTemporary(client, registered, { events: settings.events, secret });
      });
      const isNew = options.secretEnv === undefined;
      await introduce(context, settings, { baseUrl, registered, secret, isNew });
      await waitForEnd(context, end, settings, desk);
      const left = await desk.settle();
      if (left > 0) {
        await context.warn(`${count(left, 'delivery was', 'deliveries were')} not forwarded`);
      }
    } finally {
      await removeTemporary(context, registered);
      await receiver.close();
    }
    const exitCode = end.exitCode();
    await rows?.finish();
    return desk.isAnyBad() ? exitCodes.verdict : exitCode;
  } finally {
    // What is not finished goes: it must not take the place of a file that is whole.
    await rows?.close();
  }
}

/** When it ends, and how. */
interface End {
  /** Aborted by Ctrl-C, too. */
  readonly signal: AbortSignal;
  /** Aborted by Ctrl-C and q only. */
  readonly quit: AbortSignal;
  now(): void;
  timeUp(): void;
  /** An answer is out. */
  answered(): void;
  /** What came could not be written down. */
  failed(error: unknown): void;
  /** @throws what failed */
  exitCode(): ExitCode;
}

function createEnd({ world }: Context, { count }: Settings): End {
  const stop = new AbortController();
  const quit = new AbortController();
  let answered = 0;
  let isTimeUp = false;
  let failure: { readonly error: unknown } | undefined;
  return {
    signal: AbortSignal.any([stop.signal, world.signal]),
    quit: AbortSignal.any([quit.signal, world.signal]),
    now() {
      quit.abort();
      stop.abort();
    },
    timeUp() {
      isTimeUp = true;
      stop.abort();
    },
    answered() {
      // Whoever reads the lines may have seen enough.
      if (++answered >= count || world.terminal.stdout.isClosed) stop.abort();
    },
    failed(error) {
      failure ??= { error };
      stop.abort();
    },
    exitCode() {
      if (failure) throw failure.error;
      return isTimeUp && count < Infinity && answered < count ? exitCodes.pending : exitCodes.ok;
    },
  };
}

/** @throws GovctlError usage_error */
function parseSettings(options: ListenOptions): Settings {
  const seconds = positive('--timeout', options.timeout);
  const { forward, publicUrl } = options;
  const events = bothOf(options.event, options.events);
  return {
    events: events ? parseEventTypes(events) : eventTypes,
    target: forward === undefined ? undefined : new URL(parseTarget(forward, '--forward')),
    port: parsePort(options.port),
    publicUrl:
      publicUrl === undefined
        ? undefined
        : parseTarget(publicUrl, '--public-url').replace(/\/+$/, ''),
    count: positive('--count', options.count) ?? Infinity,
    timeoutMs: seconds === undefined ? undefined : seconds * 1_000,
  };
}

function positive(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text);
  throw new GovctlError('usage_error', `${flag} ${text}: must be a whole number of at least 1`);
}

/** @throws GovctlError usage_error where the service could reach no address of this machine */
function checkReachable(baseUrl: string, { publicUrl }: Settings): void {
  if (publicUrl !== undefined || isLoopback(baseUrl)) return;
  throw new GovctlError(
    'usage_error',
    `The service at ${baseUrl} cannot reach 127.0.0.1 on this machine`,
    {
      hint: 'Use --port and --public-url with a tunnel to this machine, or `govctl event list --follow`, which requires no webhook.',
    },
  );
}

async function introduce(
  { say }: Context,
  { events, target }: Settings,
  {
    baseUrl,
    registered,
    secret,
    isNew,
  }: { baseUrl: string; registered: Registered; secret: string; isNew: boolean },
): Promise<void> {
  const what = events.length === eventTypes.length ? 'all events' : [...events].sort().join(', ');
  await say(`Listening for ${what} from ${baseUrl} (${printableLine(registered.id ?? '')}).`);
  if (!target) return;
  await say(`Forwarding to ${target.href}${isNew ? `; signing secret: ${secret}` : ''}`);
}

/** Until --count, --timeout, a key or Ctrl-C. */
async function waitForEnd(
  context: Context,
  end: End,
  { timeoutMs }: Settings,
  desk: DeliveryDesk,
): Promise<void> {
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end.timeUp(), timeoutMs);
  const { keys } = context.world.terminal;
  try {
    if (keys && context.flags.input) {
      await context.say(
        desk.canResend
          ? 'Press r to resend the last delivery, 3 r to resend the third, q to quit.'
          : 'Press q to quit.',
      );
      await readKeys(keys(end.signal), desk.resend);
      end.now();
    }
    await untilAborted(end.signal);
  } finally {
    clearTimeout(timer);
  }
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
