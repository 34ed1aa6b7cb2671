import { defined } from '../../contract/defined.ts';
import { inspectDelivery } from '../../webhook/inspect.ts';
import type { Inspection } from '../../webhook/inspect.ts';
import { signMessage } from '../../webhook/sign.ts';
import type { Context } from '../context.ts';
import { describeEvent } from '../event/event-text.ts';
import { printableLine, widthOf } from '../terminal/printable.ts';
import type { RowWriter } from '../terminal/row-writer.ts';
import { tableColumns } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import type { Forwarded } from './forward.ts';
import { forward, isAccepted } from './forward.ts';
import { OrderedForwarding } from './forward-in-order.ts';
import type { Answer, Received } from './receiver.ts';

/** Takes each delivery: checks it, sends it on, shows it. */
export interface DeliveryDesk {
  receive(received: Received): Promise<Answer>;
  /** @param number of the delivery, from 1; default the last */
  resend(number: number | undefined): Promise<void>;
  readonly canResend: boolean;
  /** Waits for what is being forwarded, until Ctrl-C. @returns how many deliveries were not forwarded */
  settle(): Promise<number>;
  /** Whether a signature did not fit. */
  isAnyBad(): boolean;
}

interface Taken {
  readonly number: number;
  readonly received: Received;
}

/** Deliveries that can be sent again; older ones are forgotten. */
const mostKept = 200;
/** Bytes of their bodies. */
const mostKeptBytes = 64 * 1024 * 1024;
/** 503: it was not taken, and nobody is to think so. */
const refusal: Answer = { status: 503, isRefusal: true };
/** Seconds of age that are worth a word, as receivers refuse what is older. */
const oddAge = 300;

export function createDeliveryDesk(
  context: Context,
  {
    secret,
    target,
    most,
    rows,
    failed,
    now,
    quit,
  }: {
    readonly secret: string;
    readonly target: URL | undefined;
    /** Deliveries that are taken; what comes after them is refused. */
    readonly most: number;
    readonly rows: RowWriter | undefined;
    /** What came could not be written down. */
    readonly failed: (error: unknown) => void;
    /** The time of the service, in milliseconds since the epoch. */
    readonly now: () => Promise<number>;
    /** Ends the repetition of what could not be forwarded. */
    readonly quit: AbortSignal;
  },
): DeliveryDesk {
  const kept: Taken[] = [];
  let keptBytes = 0;
  let taken = 0;
  let bad = 0;
  const forwarding = new OrderedForwarding(quit);
  const created = createRecentIds();

  async function receive(received: Received): Promise<Answer> {
    if (taken >= most || forwarding.isFull) return refusal;
    const number = ++taken;
    kept.push({ number, received });
    keptBytes += received.body.length;
    while (kept.length > mostKept || keptBytes > mostKeptBytes) {
      keptBytes -= kept.shift()?.received.body.length ?? keptBytes;
    }
    const inspect = (at: number) => inspectDelivery(received, [secret], { now: at });
    let at = context.world.now();
    let inspection = inspect(at);
    // An odd age may only mean that the clock of a local server was moved.
    if (Math.abs(inspection.age_seconds ?? 0) > oddAge) {
      at = await now();
      inspection = inspect(at);
    }
    if (!inspection.fits) bad++;
    const object = objectOf(received.body);
    const type = inspection.event?.type;
    const follows = type === 'policy.violation.detected' && created.has(object);
    if (type === 'policy.violation.created') created.add(object);
    const told = { number, received, at, inspection, follows };
    // A failing or slow receiver must not hold back other events, which a service sends one after the other.
    if (target) {
      forwarding.add(
        { object, bytes: received.body.length },
        () => forward(target, received),
        (forwarded, attempt, waitMs) =>
          tell(context, rows, { ...told, forwarded: { ...forwarded, attempt, waitMs } }).catch(failed), // prettier-ignore
      );
    } else {
      // The service must get its answer all the same.
      await tell(context, rows, { ...told, forwarded: undefined }).catch(failed);
    }
    return { status: 200 };
  }

  async function resend(number: number | undefined): Promise<void> {
    const found = number === undefined ? kept.at(-1) : kept.find((one) => one.number === number);
    if (!target || !found) {
      const why = !target ? 'no --forward URL' : 'no such delivery';
      await context.say(`Nothing to resend: ${why}.`);
      return;
    }
    const again = signedAnew(found.received, secret, Math.floor((await now()) / 1_000));
    const forwarded = await forward(target, again);
    await context.say(`#${found.number} resent: ${forwardWords(forwarded, context.talkStyle)}`);
  }

  return {
    receive,
    resend,
    canResend: target !== undefined,
    settle: () => forwarding.settle(),
    isAnyBad: () => bad > 0,
  };
}

interface Told extends Taken {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly inspection: Inspection;
  /** Another delivery has shown the violation that it is about. */
  readonly follows: boolean;
  readonly forwarded: ForwardAttempt | undefined;
}

interface ForwardAttempt extends Forwarded {
  /** From 1. */
  readonly attempt: number;
  /** Milliseconds to the next one; undefined: this is the last. */
  readonly waitMs: number | undefined;
}

async function tell(context: Context, rows: RowWriter | undefined, told: Told): Promise<void> {
  // One line of JSON for each delivery, when it is known what became of it.
  if (told.forwarded?.waitMs === undefined) rows?.write(rowOf(told));
  await rows?.flush();
  if (told.follows && isRegular(told)) return;
  const { terminal } = context.world;
  const room = tableColumns(terminal);
  const lines = (told.forwarded?.attempt ?? 1) === 1 ? deliveryLines : repetitionLine;
  const isData = context.flags.output.some(({ file, format }) => !file && format === 'ndjson');
  if (!isData) await terminal.stdout.write(lines(told, context.style, room));
  // On one terminal the two would stand in each other.
  else if (!terminal.stdoutIsTty) {
    await context.say(lines(told, context.talkStyle, Infinity).trimEnd());
  }
}

/** Nothing about the delivery itself is worth a line. */
const isRegular = ({ received, inspection, forwarded }: Told): boolean =>
  inspection.fits &&
  Math.abs(inspection.age_seconds ?? 0) <= oddAge &&
  String(received.headers['x-service-delivery-attempt'] ?? '1') === '1' &&
  (forwarded === undefined || (forwarded.attempt === 1 && isAccepted(forwarded)));

/** What became of a repetition: the delivery itself was shown before. */
const repetitionLine = ({ number, at, forwarded }: Told, style: Style, room: number): string =>
  `${joinParts(
    [
      style.dim(new Date(at).toISOString().slice(11, 19)),
      `#${number} attempt ${forwarded?.attempt ?? 1}`,
      ...(forwarded ? [forwardWords(forwarded, style)] : []),
    ],
    room,
  )}\n`;

function deliveryLines(
  { number, received, at, inspection, forwarded }: Told,
  style: Style,
  room: number,
): string {
  const { event, fits, problem, age_seconds: age = 0 } = inspection;
  const signature = fits ? style.green('valid signature') : style.red('invalid signature');
  const attempt = received.headers['x-service-delivery-attempt'] ?? '1';
  const head = joinParts(
    [
      style.dim(new Date(at).toISOString().slice(11, 19)),
      `#${number} ${style.bold(printableLine(event?.type ?? 'no event'))}`,
      signature,
      ...(Math.abs(age) > oddAge
        ? [style.yellow(`sent ${age > 0 ? `${age} s ago` : `${-age} s ahead`}`)]
        : []),
      ...(attempt === '1' ? [] : [`attempt ${printableLine(String(attempt))}`]),
      ...(forwarded ? [forwardWords(forwarded, style)] : []),
    ],
    room,
  );
  const subject = describeBody(received.body);
  const below = [...(subject === '' ? [] : [subject]), ...(fits ? [] : [problem ?? ''])].map(
    (line) => wrapWords(margin + line, room),
  );
  return `${[head, ...below].join('\n')}\n`;
}

/** Under the time of a delivery. */
const margin = ' '.repeat(10);

/** Two cells apart; what does not fit goes whole into the next line. */
const joinParts = (parts: readonly string[], room: number): string =>
  parts.reduce((lines, part) => {
    const line = `${lines}  ${part}`;
    const last = line.slice(line.lastIndexOf('\n') + 1);
    return widthOf(last) <= room ? line : `${lines}\n${margin}${part}`;
  });

function forwardWords(
  { waitMs, ...forwarded }: Forwarded & Partial<ForwardAttempt>,
  style: Style,
): string {
  const { status, error, ms } = forwarded;
  const words = status === undefined ? `→ ${error ?? ''}` : `→ ${status} in ${ms} ms`;
  if (isAccepted(forwarded)) return style.green(words);
  return style.red(waitMs === undefined ? words : `${words}, retrying in ${waitMs / 1_000} s`);
}

/** IDs that are remembered. */
const mostIds = 1_000;

/** The last IDs that were added. */
function createRecentIds() {
  const ids = new Set<string>();
  return {
    has: (id: string): boolean => ids.has(id),
    add(id: string): void {
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > mostIds && oldest !== undefined) ids.delete(oldest);
    },
  };
}

/** The ID of the object that an event is about; empty: unknown. */
function objectOf(body: Buffer): string {
  try {
    const { data } = JSON.parse(body.toString('utf8')) as { readonly data?: object };
    const [first] = Object.values(data ?? {}) as unknown[];
    const subject = typeof first === 'object' && first !== null ? first : (data ?? {});
    const { id, violation_id: violation } = subject as Readonly<Record<string, unknown>>;
    return String(id ?? violation ?? '');
  } catch {
    return '';
  }
}

function describeBody(body: Buffer): string {
  try {
    const envelope: unknown = JSON.parse(body.toString('utf8'));
    return typeof envelope === 'object' && envelope !== null && 'data' in envelope
      ? describeEvent(envelope.data)
      : '';
  } catch {
    return '';
  }
}

/** Headers whose values are for one receiver only. */
const secretHeader =
  /^(authorization|proxy-authorization|cookie|x-api-key)$|token|secret|password/i;

function rowOf({ number, received, at, inspection, forwarded }: Told): object {
  const { headers, body } = received;
  const text = body.toString('utf8');
  return {
    number,
    received_at: new Date(at).toISOString(),
    event_type: inspection.event?.type,
    event_id: inspection.event?.id,
    signature: inspection.fits ? 'ok' : 'bad',
    ...defined({ problem: inspection.problem }),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        secretHeader.test(name) ? '***' : value,
      ]),
    ),
    ...(Buffer.from(text).equals(body) ? { body: text } : { body_base64: body.toString('base64') }),
    ...(forwarded
      ? {
          forwarded: {
            duration_ms: forwarded.ms,
            attempts: forwarded.attempt,
            ...defined({ status: forwarded.status, error: forwarded.error }),
          },
        }
      : {}),
    answered: 200,
  };
}

/** The same delivery as one attempt more, sent now: receivers refuse old times. */
function signedAnew(
  { rawHeaders, headers, body }: Received,
  secret: string,
  now: number,
): Pick<Received, 'rawHeaders' | 'body'> {
  const id = headers['webhook-id'];
  const attempt = Number(headers['x-service-delivery-attempt'] ?? 1);
  const changed: Readonly<Record<string, string>> = {
    'x-service-timestamp': String(now),
    'x-service-delivery-attempt': String(attempt + 1),
    ...(typeof id === 'string'
      ? {
          'webhook-timestamp': String(now),
          'webhook-signature': signMessage(secret, id, now, body),
        }
      : {}),
  };
  return {
    body,
    rawHeaders: rawHeaders.map((text, at) =>
      at % 2 === 0 ? text : (changed[(rawHeaders[at - 1] ?? '').toLowerCase()] ?? text),
    ),
  };
}
