import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { utcSecond } from '../../contract/utc-time.ts';
import type { SignatureFinding, Inspection } from '../../webhook/inspect.ts';
import { inspectDelivery } from '../../webhook/inspect.ts';
import type { Context } from '../context.ts';
import type { View } from '../terminal/output.ts';
import { printableLine } from '../terminal/printable.ts';
import { tableColumns } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { describeAge } from '../terminal/ages.ts';
import { parseDelivery, parseHeaders, readBytes } from './read-saved.ts';
import type { SavedDelivery } from './read-saved.ts';
import { fromEnvironment } from '../flags/from-environment.ts';

export interface VerifyOptions {
  readonly request?: string;
  readonly body?: string;
  readonly headers?: string;
  readonly signature?: string;
  readonly timestamp?: string;
  readonly id?: string;
  readonly secretEnv?: readonly string[];
  readonly secretStdin?: boolean;
  readonly tolerance?: string;
}

/** A secret, and how it was named. */
interface NamedSecret {
  readonly name: string;
  readonly secret: string;
}

/** Without --tolerance, age is told but not held against it: what was saved is always old. */
export async function runVerify(context: Context, options: VerifyOptions): Promise<ExitCode> {
  const tolerance = parseTolerance(options.tolerance);
  checkOptions(options);
  const secrets = await readSecrets(context, options);
  const saved = await readSaved(context, options);
  for (const notice of saved.notices) await context.warn(notice);
  const inspection = inspectDelivery(
    saved,
    secrets.map(({ secret }) => secret),
    { now: context.world.now(), ...defined({ tolerance }) },
  );
  await context.show(verdictView(inspection, secrets, tableColumns(context.world.terminal)));
  return inspection.fits ? exitCodes.ok : exitCodes.verdict;
}

function parseTolerance(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new GovctlError('usage_error', `--tolerance ${text}: must be a whole number of seconds`);
}

/** What goes with what, before anything is read. @throws GovctlError usage_error */
function checkOptions(options: VerifyOptions): void {
  const { request, body, headers, signature, timestamp, id } = options;
  const refuse = (what: string, hint: string): never => {
    throw new GovctlError('usage_error', what, { hint });
  };
  if (request !== undefined) {
    const other = Object.entries({ body, headers, signature, timestamp, id }).find(
      ([, value]) => value !== undefined,
    );
    if (other)
      refuse(
        `Use either --request or --${other[0]}`,
        'The request already contains the body and its headers.',
      );
  } else if (body === undefined) {
    refuse('No delivery given', 'Pass --request FILE, or --body FILE with --headers FILE.');
  } else if ((headers === undefined) === (signature === undefined)) {
    refuse('--body requires either --headers or --signature', 'Pass the signature to verify.');
  }
  if (signature === undefined && (timestamp ?? id) !== undefined) {
    refuse('--timestamp and --id require --signature', 'The headers already contain both values.');
  }
  const isMessage = signature?.startsWith('v1,') === true;
  if (isMessage && (timestamp === undefined || id === undefined)) {
    refuse('--signature v1,… requires --id and --timestamp', 'The signature covers both values.');
  }
  if (headers === '-' || (options.secretStdin && (body === '-' || request === '-'))) {
    refuse('Only one input can come from standard input', 'Pass the secret with --secret-env.');
  }
}

async function readSecrets(context: Context, options: VerifyOptions): Promise<NamedSecret[]> {
  const { world } = context;
  const secrets = (options.secretEnv ?? []).map((name) => ({
    name,
    secret: fromEnvironment(world, '--secret-env', name),
  }));
  if (options.secretStdin) {
    const secret = (await world.terminal.readStdin()).replace(/\r?\n$/, '');
    secrets.push({ name: 'standard input', secret });
  }
  if (secrets.length === 0 && context.flags.input) {
    secrets.push({
      name: 'the entered secret',
      secret: await world.prompt.secret('Signing secret'),
    });
  }
  if (secrets.some(({ secret }) => secret !== '')) return secrets;
  throw new GovctlError('usage_error', 'No signing secret given', {
    hint: 'Use --secret-env NAME (repeatable: current and previous secret) or --secret-stdin.',
  });
}

async function readSaved({ world }: Context, options: VerifyOptions): Promise<SavedDelivery> {
  const { request, body: bodyFile = '-', headers: headerFile, signature = '' } = options;
  if (request !== undefined) return parseDelivery(request, await readBytes(world, request));
  const body = await readBytes(world, bodyFile);
  const headers =
    headerFile === undefined
      ? givenHeaders(signature.trim(), options)
      : parseHeaders(headerFile, (await readBytes(world, headerFile)).toString('latin1'));
  return { body, headers, notices: [] };
}

function givenHeaders(
  signature: string,
  { timestamp, id }: VerifyOptions,
): (readonly [string, string])[] {
  if (signature.startsWith('v1,')) {
    return [
      ['webhook-signature', signature],
      ['webhook-id', id ?? ''],
      ['webhook-timestamp', timestamp ?? ''],
    ];
  }
  return [
    ['x-service-signature', signature],
    ...(timestamp === undefined ? [] : [['x-service-timestamp', timestamp] as const]),
  ];
}

function verdictView(inspection: Inspection, secrets: readonly NamedSecret[], room: number): View {
  const nameOf = ({ secretIndex }: SignatureFinding): string | undefined =>
    secretIndex === undefined ? undefined : secrets[secretIndex]?.name;
  const { signatures, ...rest } = inspection;
  return {
    value: {
      ...rest,
      signatures: signatures.map((one) => ({
        header: one.header,
        fits: one.secretIndex !== undefined,
        secret: nameOf(one),
        problem: one.malformed,
      })),
    },
    human: (style) => wrapWords(describe(inspection, nameOf, style), room),
  };
}

function describe(
  {
    fits,
    problem,
    signatures,
    timestamp,
    age_seconds: age,
    timestamp_is_signed: isSigned,
    event,
  }: Inspection,
  nameOf: (one: SignatureFinding) => string | undefined,
  style: Style,
): string {
  const width = Math.max(0, ...signatures.map(({ header }) => header.length));
  const lines = signatures.map((one) => {
    const by = nameOf(one);
    const verdict =
      by !== undefined
        ? style.green(`valid with ${printableLine(by)}`)
        : style.red(
            one.malformed === undefined ? 'no matching secret' : `malformed: ${one.malformed}`,
          );
    return `  ${one.header.padEnd(width)}  ${verdict}`;
  });
  if (timestamp !== undefined && age !== undefined) {
    const when = age >= 0 ? `${describeAge(age)} ago` : `in ${describeAge(-age)}`;
    const trust = isSigned ? '' : style.yellow(' (not signed)');
    lines.push(`  sent ${utcSecond(new Date(timestamp * 1_000).toISOString())}, ${when}${trust}`);
  }
  if (event) lines.push(`  ${printableLine([event.type, event.id].filter(Boolean).join(' '))}`);
  const head = fits ? style.green('Verified') : `${style.red('Not verified')}: ${problem ?? ''}`;
  return `${[head, ...lines].join('\n')}\n`;
}
