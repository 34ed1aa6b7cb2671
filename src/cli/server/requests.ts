import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { LoggedRequest } from '../../contract/local.ts';
import { requestsKept } from '../../contract/local.ts';
import type { Context } from '../context.ts';
import { follow } from '../objects/follow.ts';
import { askOurServer } from '../objects/our-server.ts';
import { printableLine } from '../terminal/printable.ts';
import { formatTable, tableColumns, numberColumn } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { withLocalServer } from './with-local.ts';

export interface RequestsOptions {
  readonly limit: string;
  readonly follow?: boolean;
}

export async function showRequests(context: Context, options: RequestsOptions): Promise<ExitCode> {
  const limit = parseLimit(options.limit);
  if (options.follow) return followRequests(context, options);
  const requests = await withLocalServer(context, 'Reading the request log', async (client) => {
    const { data } = await client.local.listRequests({ query: { limit: String(limit) } });
    return data.requests;
  });
  await context.show({
    value: { requests },
    rows: () => requests,
    human: (style) =>
      requests.length === 0
        ? ''
        : formatTable(requests, columnsFor(requests), style, tableColumns(context.world.terminal)),
  });
  if (requests.length === 0) await context.say('No requests since the server started.');
  return exitCodes.ok;
}

/** @throws GovctlError usage_error */
function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d{1,4}$/.test(text) && limit >= 1 && limit <= requestsKept) return limit;
  throw new GovctlError(
    'usage_error',
    `--limit ${text}: must be a number from 1 to ${requestsKept}`,
  );
}

/** Without a spinner: it shows what comes. Those that are kept are few enough to be one page. */
async function followRequests(context: Context, options: RequestsOptions): Promise<ExitCode> {
  const client = await context.client();
  let after: number | undefined;
  const fetchNew = async () => {
    const query = {
      limit: String(requestsKept),
      ...(after === undefined ? {} : { after: String(after) }),
    };
    const { data, characters } = await client.local.listRequests({ query });
    // One that was started anew counts from the beginning.
    after = after !== undefined && data.last < after ? 0 : data.last;
    return { requests: data.requests, characters };
  };
  return askOurServer('test features', () =>
    follow<LoggedRequest & { readonly id: string }>(context, options, {
      plural: 'requests',
      async fetchPage() {
        const { requests, characters } = await fetchNew();
        const rows = requests.map((row) => ({ ...row, id: row.request_id }));
        return { rows: rows.reverse(), pagination: { has_more: false }, characters };
      },
      rank: () => 0,
      isOld: () => false,
      stateOf: ({ number, at }) => `${number} ${at}`,
      line: (row, style) => `${requestLine(row, style)}\n`,
    }),
  );
}

const paintStatus = (text: string, { status }: LoggedRequest, style: Style): string =>
  status >= 500 ? style.red(text) : status >= 400 ? style.yellow(text) : style.green(text);

const requestLine = (row: LoggedRequest, style: Style): string =>
  [
    style.dim(row.at),
    paintStatus(String(row.status), row, style),
    row.method.padEnd(6),
    printableLine(row.path),
    style.dim(`${row.duration_ms} ms`),
    printableLine(row.error ?? ''),
    row.fault ?? '',
  ]
    .filter((part) => part !== '')
    .join('  ');

/** On a terminal errors and faults have a column only where there are any. */
const columnsFor = (requests: readonly LoggedRequest[]): readonly Column<LoggedRequest>[] =>
  columns.filter(
    ({ title }) =>
      (title !== 'ERROR' || requests.some(({ error }) => error !== undefined)) &&
      (title !== 'FAULT' || requests.some(({ fault }) => fault !== undefined)),
  );

const columns: readonly Column<LoggedRequest>[] = [
  { title: 'TIME', cell: ({ at }) => at, drops: 2 },
  { title: 'STATUS', cell: ({ status }) => String(status), paint: paintStatus },
  { title: 'METHOD', cell: ({ method }) => method },
  // Cut only where nothing else may go: it says what was asked.
  { title: 'PATH', cell: ({ path }) => path, shrinks: 'end', least: 56 },
  numberColumn('MS', ({ duration_ms: ms }) => ms),
  numberColumn('BYTES', ({ bytes }) => bytes, { drops: 1 }),
  { title: 'ERROR', cell: ({ error }) => error ?? '-', shrinks: 'middle', drops: 3 },
  { title: 'FAULT', cell: ({ fault }) => fault ?? '-', shrinks: 'middle' },
];
