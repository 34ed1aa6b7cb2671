import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { errorFromResponse } from '../../client/answer.ts';
import { queryString } from '../../client/client.ts';
import type { HttpAnswer, SendOptions, Transport } from '../../client/transport.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { connect } from '../connect.ts';
import type { Context } from '../context.ts';
import { projectBaseUrl } from '../project-base-url.ts';
import { formatTable, tableColumns } from '../table.ts';
import { endpoints, endpointsAt, nearestPath, queryFields } from './endpoint-table.ts';

export interface ApiOptions {
  readonly args: readonly (string | undefined)[];
  readonly field: readonly string[];
  readonly data?: string;
  readonly header: readonly string[];
  readonly include?: boolean;
  readonly paginate?: boolean;
  readonly list?: boolean;
}

/** One request as the command line means it. */
interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends one request and prints the answer's body; an answer that is an error is printed too, and then thrown. */
export async function runApi(context: Context, options: ApiOptions): Promise<ExitCode> {
  if (options.list) return listEndpoints(context);
  const request = await readRequest(context, options);
  const endpoint = await checkAgainstContract(context, request);
  if (options.paginate && request.method !== 'GET') {
    throw new GovctlError('usage_error', '--paginate is for GET');
  }
  const { client } = await connect(context, await projectBaseUrl(context));
  const send = (query: Readonly<Record<string, unknown>>): Promise<HttpAnswer> =>
    exchange(client.transport, request, query, endpoint);
  if (options.paginate) return showPages(context, request, send);
  const answer = await context.progress('Waiting for the answer', () => send(request.query));
  await showAnswer(context, answer, options.include ?? false);
  if (!answer.ok) throw await errorFromResponse(answer, `${request.method} ${request.path}`);
  return exitCodes.ok;
}

function exchange(
  transport: Transport,
  { method, path: where, body, headers }: ApiRequest,
  query: Readonly<Record<string, unknown>>,
  endpoint: Endpoint | undefined,
): Promise<HttpAnswer> {
  const options: SendOptions = {
    headers,
    ...(body === undefined ? {} : { body }),
    anonymous: endpoint?.scope === null,
    // What is typed by hand is sent once: trying again is the person's to decide.
    repeatable: false,
  };
  return transport.exchange(method, where + queryString(query), options);
}

async function readRequest(context: Context, options: ApiOptions): Promise<ApiRequest> {
  const { method, where } = readMethodAndPath(options);
  const [pathname = '', search = ''] = where.split('?', 2);
  const inBody = method !== 'GET' && method !== 'DELETE';
  const fields = options.field.map(parseField);
  if (inBody && fields.length > 0 && options.data !== undefined) {
    throw new GovctlError(
      'usage_error',
      '--data and --field exclude each other: both are the body',
    );
  }
  const body =
    inBody && fields.length > 0
      ? JSON.stringify(Object.fromEntries(await parseBodyFields(fields)))
      : await readData(context, options.data);
  return {
    method,
    path: pathname,
    query: {
      ...Object.fromEntries(new URLSearchParams(search)),
      ...(inBody ? {} : Object.fromEntries(fields)),
    },
    ...(body === undefined ? {} : { body }),
    headers: Object.fromEntries(options.header.map(parseHeader)),
  };
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

function readMethodAndPath({ args, data }: ApiOptions): { method: string; where: string } {
  const [first, second] = args;
  if (first === undefined) {
    throw new GovctlError('usage_error', 'The path is not given', {
      hint: 'For example `govctl api GET /v1/policies`; `govctl api --list` shows all.',
    });
  }
  const [method, where] =
    second === undefined && first.startsWith('/')
      ? [data === undefined ? 'GET' : 'POST', first]
      : [first.toUpperCase(), second];
  if (!methods.includes(method)) {
    const nearest = nearestWord(method, methods);
    throw new GovctlError('usage_error', `${first} is no method of this API`, {
      hint: nearest ? `Did you mean ${nearest}?` : `Methods: ${methods.join(', ')}.`,
    });
  }
  if (where === undefined) throw new GovctlError('usage_error', `${method} of which path?`);
  if (!where.startsWith('/') || where.startsWith('//')) {
    throw new GovctlError('usage_error', `The path ${where} does not begin with one /`, {
      hint: 'Only paths of the service are asked, so that your login goes nowhere else; --base-url names another service.',
    });
  }
  return { method, where };
}

function parseField(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new GovctlError('usage_error', `--field ${text}: write it as name=value`);
}

/** Values of a body are YAML, so `true`, `5` and `[a, b]` mean what they say. */
async function parseBodyFields(fields: readonly [string, string][]): Promise<[string, unknown][]> {
  const { parse } = await import('yaml');
  return fields.map(([name, text]) => {
    try {
      return [name, parse(text)];
    } catch (cause) {
      throw new GovctlError('usage_error', `--field ${name}: the value is not YAML; quote it`, {
        cause,
      });
    }
  });
}

function parseHeader(text: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text);
  if (match?.[1]) return [match[1].toLowerCase(), match[2] ?? ''];
  throw new GovctlError(
    'usage_error',
    `--header ${JSON.stringify(text)}: write it as "Name: value"`,
  );
}

/** JSON itself, `@file`, or `-` for standard input; checked, so that a typing error is shown with its place. */
async function readData({ world }: Context, data: string | undefined): Promise<string | undefined> {
  if (data === undefined) return undefined;
  const [from, text] =
    data === '-' || data === '@-'
      ? ['standard input', await world.terminal.readStdin()]
      : data.startsWith('@')
        ? [data.slice(1), await readDataFile(world.cwd, data.slice(1))]
        : ['--data', data];
  try {
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw new GovctlError('invalid_file', `${from} is not JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
}

async function readDataFile(cwd: string, file: string): Promise<string> {
  try {
    return await readFile(path.resolve(cwd, file), 'utf8');
  } catch (cause) {
    throw new GovctlError(
      'file_error',
      `--data @${file} could not be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Refuses a method the path does not take; warns of a path or query field that is not known: another server may know it. */
async function checkAgainstContract(
  { warn }: Context,
  { method, path: where, query }: ApiRequest,
): Promise<Endpoint | undefined> {
  const rows = endpointsAt(where);
  if (rows.length === 0) {
    const nearest = nearestPath(where);
    await warn(`${where} is no path of this API${nearest ? `; did you mean ${nearest}?` : ''}`);
    return undefined;
  }
  const row = rows.find((candidate) => candidate.method === method);
  if (!row) {
    throw new GovctlError('usage_error', `${where} does not take ${method}`, {
      hint: `It takes ${rows.map((candidate) => candidate.method).join(', ')}.`,
    });
  }
  const known = queryFields(row) ?? [];
  for (const name of Object.keys(query).filter((field) => !known.includes(field))) {
    const nearest = nearestWord(name, known);
    await warn(
      `${method} ${row.path} has no query field "${name}"${nearest ? `; did you mean ${nearest}?` : ''}`,
    );
  }
  return row;
}

/** As it came into a pipe; laid out for a person; re-written only where a format was asked for. */
async function showAnswer(context: Context, answer: HttpAnswer, include: boolean): Promise<void> {
  const { stdout, stdoutIsTty } = context.world.terminal;
  if (include) {
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}\n`);
    await stdout.write(`HTTP ${answer.status}\n${headers.join('')}\n`);
  }
  const text = await answer.clone().text();
  const value = parseObject(text);
  if (context.flags.output.length > 0 && value) {
    // The body itself, by any view: the API's own JSON has no format_version, but a view adds one.
    return context.show({ value, human: () => layOut(text) });
  }
  const shown = stdoutIsTty ? layOut(text) : text;
  if (shown !== '') await stdout.write(shown.endsWith('\n') || !stdoutIsTty ? shown : `${shown}\n`);
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
      throw new GovctlError('usage_error', `GET ${request.path} does not answer a list`, {
        hint: 'Leave out --paginate.',
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
          { title: 'WHAT', cell: (row) => row.summary, shrinks: true },
        ],
        style,
        tableColumns(context.world.terminal),
      ),
  });
  return exitCodes.ok;
}
