import { defined } from '../../contract/defined.ts';
import { durationForms, parseDuration } from '../../contract/duration.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Fault, FaultInput } from '../../contract/local.ts';
import { wireErrors } from '../../contract/local.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Context } from '../context.ts';
import { formatDetails } from '../terminal/details.ts';
import { inThrees, printableLine } from '../terminal/printable.ts';
import { formatTable, tableColumns, numberColumn } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { createStyle } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { withLocalServer } from './with-local.ts';

export interface AddFaultOptions {
  readonly args: readonly [string | undefined];
  readonly method?: FaultInput['method'];
  readonly status?: string;
  readonly error?: string;
  readonly retryAfter?: string;
  readonly delay?: string;
  readonly cut?: FaultInput['cut'];
  readonly count: string;
}

export async function addFault(context: Context, options: AddFaultOptions): Promise<ExitCode> {
  const body = readFault(options);
  const fault = await withLocalServer(context, 'Creating the fault', async (client) => {
    const { data } = await client.local.addFault({ body });
    return data;
  });
  await context.show({
    value: fault,
    human: (style) =>
      `${style.green('Added')} ${fault.id}: ${printableLine(`${whichOf(fault)} ${whatOf(fault)}`)}, ${timesOf(fault)}\n`,
  });
  return exitCodes.ok;
}

/** @throws GovctlError usage_error */
function readFault(options: AddFaultOptions): FaultInput {
  checkTogether(options);
  const [path] = options.args;
  const { method, status, error, retryAfter, delay, cut, count } = options;
  return {
    ...defined({ method, path }),
    ...(status === undefined ? {} : { status: whole('--status', status) }),
    ...(error === undefined ? {} : { error: errorName(error) }),
    ...(retryAfter === undefined ? {} : { retry_after: whole('--retry-after', retryAfter) }),
    ...(delay === undefined ? {} : { delay_ms: milliseconds(delay) }),
    ...defined({ cut }),
    count: count === 'always' ? count : whole('--count', count),
  };
}

function whole(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new GovctlError('usage_error', `${flag} ${text}: must be a whole number`);
}

function errorName(text: string): NonNullable<FaultInput['error']> {
  const name = wireErrors.find((one) => one === text);
  if (name !== undefined) return name;
  const nearest = nearestWord(text, wireErrors);
  // Names are whole phrases: who knows a word of one is near enough.
  const words = text.toLowerCase().split(/[^a-z]+/);
  const alike = nearest
    ? [nearest]
    : wireErrors.filter((one) => one.split('_').some((word) => words.includes(word)));
  throw new GovctlError('usage_error', `--error ${text}: unknown error name`, {
    hint:
      alike.length > 0
        ? `Did you mean ${alike.join(' or ')}?`
        : `Use one of: ${wireErrors.join(', ')}.`,
  });
}

/** What goes together, in the words of the command line. @throws GovctlError usage_error */
function checkTogether({ status, error, retryAfter, delay, cut }: AddFaultOptions): void {
  const refuse = (what: string): never => {
    throw new GovctlError('usage_error', what);
  };
  if (status !== undefined && cut !== undefined) refuse('Use either --status or --cut');
  if (status === undefined && error !== undefined) refuse('--error requires --status');
  if (status === undefined && retryAfter !== undefined) refuse('--retry-after requires --status');
  if (status === undefined && delay === undefined && cut === undefined) {
    refuse('No fault specified: use --status, --delay or --cut');
  }
}

function milliseconds(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new GovctlError('usage_error', `--delay ${text}: must be a duration`, {
    hint: `Use a duration ${durationForms}.`,
  });
}

export async function listFaults(context: Context): Promise<ExitCode> {
  const faults = await withLocalServer(context, 'Listing faults', async (client) => {
    const { data } = await client.local.listFaults();
    return data.faults;
  });
  await context.show({
    value: { faults },
    rows: () => faults,
    human: (style) =>
      faults.length === 0 ? '' : formatFaults(faults, style, tableColumns(context.world.terminal)),
  });
  if (faults.length === 0) await context.say('No faults.');
  return exitCodes.ok;
}

const columns: readonly Column<Fault>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'REQUESTS', cell: (fault) => whichOf(fault), shrinks: 'end' },
  { title: 'FAULT', cell: (fault) => whatOf(fault), shrinks: 'end' },
  numberColumn('HITS', ({ hits }) => hits),
  {
    title: 'LEFT',
    cell: ({ left }) => (typeof left === 'number' ? inThrees(left) : 'always'),
    isRight: true,
  },
];

/** A table where it fits: each word of a fault counts, so nothing is cut where it does not. */
function formatFaults(faults: readonly Fault[], style: Style, room: number): string {
  const plain = formatTable(faults, columns, createStyle(false), Infinity);
  if (plain.split('\n').every((line) => line.length <= room)) {
    return formatTable(faults, columns, style, Infinity);
  }
  return faults
    .map((fault) =>
      wrapWords(
        formatDetails(
          `${whichOf(fault)} ${whatOf(fault)}`,
          [
            ['id', fault.id],
            [
              'hits',
              `${fault.hits}, ${fault.left === undefined ? 'until cleared' : `${fault.left} left`}`,
            ],
          ],
          style,
        ),
        room,
      ),
    )
    .join('');
}

const whichOf = ({ method, path }: Fault): string => `${method ?? 'any'} ${path ?? '*'}`;

const whatOf = ({ status, error, delay_ms: delay, cut, retry_after: after }: Fault): string =>
  [
    delay === undefined ? '' : `waits ${delay} ms`,
    status === undefined ? '' : ['returns', status, error].filter(Boolean).join(' '),
    after === undefined ? '' : `retry after ${after} s`,
    cut === undefined ? '' : `cut at the ${cut}`,
  ]
    .filter((part) => part !== '')
    .join(', ');

const timesOf = ({ left }: Fault): string =>
  left === undefined ? 'until cleared' : left === 1 ? 'once' : `${left} times`;

export async function clearFaults(
  context: Context,
  { args: [id] }: { readonly args: readonly [string | undefined] },
): Promise<ExitCode> {
  const cleared = await withLocalServer(context, 'Clearing faults', async (client) => {
    const { data } =
      id === undefined
        ? await client.local.clearFaults()
        : await client.local.clearFault({ params: { id } });
    return data.cleared;
  });
  await context.show({
    value: { cleared },
    human: (style) => `${style.green('Cleared')} ${cleared}\n`,
  });
  return exitCodes.ok;
}
