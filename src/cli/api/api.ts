import { defined } from '../../contract/defined.ts';
import { errorFromResponse } from '../../client/answer.ts';
import { bytesOf } from '../../client/bytes.ts';
import { queryString } from '../../client/client.ts';
import type { HttpAnswer } from '../../client/http.ts';
import type { SendOptions, Transport } from '../../client/transport.ts';
import { createTransport } from '../../client/transport.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { transportOptions } from '../objects/connect.ts';
import type { Context } from '../context.ts';
import { findTarget, profileOf } from '../credentials/find-login.ts';
import { projectBaseUrl } from '../objects/project-base-url.ts';
import { harmlessJson, harmlessText } from '../terminal/harmless.ts';
import { formatTable, tableColumns } from '../terminal/table.ts';
import type { ApiOptions, ApiRequest } from './api-request.ts';
import { checkAgainstContract, readRequest } from './api-request.ts';
import { endpoints } from './endpoint-table.ts';

/** Sends one request and prints the answer's body; an answer that is an error is printed too, and then thrown. */
export async function runApi(context: Context, options: ApiOptions): Promise<ExitCode> {
  if (options.list) return listEndpoints(context);
  const request = await readRequest(context, options);
  const endpoint = await checkAgainstContract(context, request);
  if (options.paginate && request.method !== 'GET') {
    throw new GovctlError('usage_error', '--paginate requires GET');
  }
  const transport = await openTransport(context, endpoint);
  const send = (query: Readonly<Record<string, unknown>>): Promise<HttpAnswer> =>
    exchange(transport, request, query, endpoint);
  if (options.paginate) return showPages(context, request, send);
  if (endpoint?.response.binary) refuseTerminal(context);
  const answer = await context.progress('Waiting for the response', () => send(request.query));
  const isBinary = endpoint?.response.binary === true;
  await showAnswer(context, answer, options.include ?? false, isBinary);
  if (!answer.ok) throw await errorFromResponse(answer, `${request.method} ${request.path}`);
  return exitCodes.ok;
}

/** Bytes of any kind could do anything to a terminal. */
function refuseTerminal({ world, flags }: Context): void {
  if (flags.output.length > 0) {
    throw new GovctlError('usage_error', '-o cannot be used when the response is a file');
  }
  if (!world.terminal.stdoutIsTty) return;
  throw new GovctlError(
    'usage_error',
    'The response is a file, and standard output is a terminal',
    {
      hint: 'Redirect the output, for example with `> FILE`. To verify and resume downloads, use `govctl report download`.',
    },
  );
}

/** Paths that need no token, such as /healthz, are asked without one; nobody need be logged in. */
async function openTransport(context: Context, endpoint: Endpoint | undefined): Promise<Transport> {
  if (endpoint?.scope !== null) return (await context.client()).transport;
  const { baseUrl, login } = await findTarget(context, await projectBaseUrl(context));
  return createTransport(transportOptions(context, baseUrl, profileOf(login)));
}

function exchange(
  transport: Transport,
  { method, path: where, body, headers }: ApiRequest,
  query: Readonly<Record<string, unknown>>,
  endpoint: Endpoint | undefined,
): Promise<HttpAnswer> {
  const options: SendOptions = {
    headers,
    ...(endpoint?.response.binary ? { streamed: true } : {}),
    ...defined({ body }),
    anonymous: endpoint?.scope === null,
    // What is typed by hand is sent once: trying again is the person's to decide.
    repeatable: false,
  };
  return transport.exchange(method, where + queryString(query), options);
}

/** As it came into a pipe; laid out for a person; re-written only where a format was asked for. */
async function showAnswer(
  context: Context,
  answer: HttpAnswer,
  include: boolean,
  isBinary = false,
): Promise<void> {
  const { stdout, stdoutIsTty } = context.world.terminal;
  if (include) {
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\n`);
    await stdout.write(`HTTP ${answer.status}\n${headers.join('')}\n`);
  }
  if (answer.ok && isBinary) {
    for await (const bytes of bytesOf(answer, 'the request')) await stdout.write(bytes);
    return;
  }
  const text = await answer.clone().text();
  const value = parseObject(text);
  if (context.flags.output.length > 0 && value) {
    // The body itself, by any view: the API's own JSON has no format_version, but a view adds one.
    return context.show({ value, human: () => layOut(text) });
  }
  const laidOut = stdoutIsTty ? layOut(text) : text;
  const isJson = /json/i.test(answer.headers.get('content-type') ?? '');
  const shown = isJson ? harmlessJson(laidOut) : harmlessText(laidOut, false);
  const end = shown === '' || shown.endsWith('\n') || !stdoutIsTty ? '' : '\n';
  if (shown !== '') await stdout.write(Buffer.from(shown + end));
}

function layOut(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    return text; // not JSON, such as /metrics
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>) // an object of JSON is one of named values
      : undefined;
  } catch {
    return undefined;
  }
}

/** Joins the pages of a list into one list of the same shape. */
async function showPages(
  context: Context,
  request: ApiRequest,
  send: (query: Readonly<Record<string, unknown>>) => Promise<HttpAnswer>,
): Promise<ExitCode> {
  const rows: unknown[] = [];
  let noun: string | undefined;
  let place: Readonly<Record<string, unknown>> = {};
  for (;;) {
    const answer = await send({ limit: 100, ...request.query, ...place });
    if (!answer.ok) {
      await showAnswer(context, answer, false);
      throw await errorFromResponse(answer, `GET ${request.path}`);
    }
    const page = parseObject(await answer.text());
    const list = page && Object.entries(page).find(([, value]) => Array.isArray(value));
    if (!page || !list) {
      throw new GovctlError('usage_error', `GET ${request.path} does not return a list`, {
        hint: 'Run without --paginate.',
      });
    }
    noun ??= list[0];
    const fresh = list[1] as readonly unknown[]; // an array, by the search above
    rows.push(...fresh);
    const next = nextPlace(page.pagination, rows.length);
    if (next === undefined || fresh.length === 0) break;
    place = next;
  }
  const value = {
    [noun]: rows,
    pagination: { total: rows.length, limit: rows.length, offset: 0, has_more: false },
  };
  await context.show({
    value,
    rows: () => rows,
    human: () => `${JSON.stringify(value, null, 2)}\n`,
  });
  return exitCodes.ok;
}

function nextPlace(
  pagination: unknown,
  seen: number,
): Readonly<Record<string, unknown>> | undefined {
  if (typeof pagination !== 'object' || pagination === null) return undefined;
  if (!('has_more' in pagination) || pagination.has_more !== true) return undefined;
  if ('next_cursor' in pagination && typeof pagination.next_cursor === 'string') {
    return { cursor: pagination.next_cursor };
  }
  return { offset: seen };
}

async function listEndpoints(context: Context): Promise<ExitCode> {
  const rows = endpoints.map(({ method, path: where, scope, summary, ext }) => ({
    method,
    path: where,
    scope,
    summary,
    extension: ext === true,
  }));
  await context.show({
    value: { endpoints: rows },
    rows: () => rows,
    human: (style) =>
      formatTable(
        rows,
        [
          { title: 'METHOD', cell: (row) => row.method },
          { title: 'PATH', cell: (row) => row.path },
          { title: 'SCOPE', cell: (row) => row.scope ?? '-' },
          { title: 'WHAT', cell: (row) => row.summary, shrinks: 'end' },
        ],
        style,
        tableColumns(context.world.terminal),
      ),
  });
  return exitCodes.ok;
}
