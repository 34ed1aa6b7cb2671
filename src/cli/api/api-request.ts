import { defined } from '../../contract/defined.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Context } from '../context.ts';
import { readInputFile } from '../flags/input-file.ts';
import { endpointsAt, nearestPath, queryFields } from './endpoint-table.ts';

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
export interface ApiRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the command line asks for. @throws GovctlError usage_error, invalid_file */
export async function readRequest(context: Context, options: ApiOptions): Promise<ApiRequest> {
  const { method, where } = readMethodAndPath(options);
  const [pathname = '', search = ''] = where.split('?', 2);
  const inBody = method !== 'GET' && method !== 'DELETE';
  const fields = options.field.map(parseField);
  if (inBody && fields.length > 0 && options.data !== undefined) {
    throw new GovctlError('usage_error', 'Use either --data or --field for the body');
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
    ...defined({ body }),
    headers: Object.fromEntries(options.header.map(parseHeader)),
  };
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

function readMethodAndPath({ args, data }: ApiOptions): { method: string; where: string } {
  const [first, second] = args;
  if (first === undefined) {
    throw new GovctlError('usage_error', 'No path given', {
      hint: 'Run, for example, `govctl api GET /v1/policies`. To list all endpoints, run `govctl api --list`.',
    });
  }
  const [method, where] =
    second === undefined && !methods.includes(first.toUpperCase())
      ? [data === undefined ? 'GET' : 'POST', first]
      : [first.toUpperCase(), second];
  if (!methods.includes(method)) {
    const nearest = nearestWord(method, methods);
    throw new GovctlError('usage_error', `${first} is not a supported method`, {
      hint: nearest ? `Did you mean ${nearest}?` : `Use ${methods.join(', ')}.`,
    });
  }
  if (where === undefined) throw new GovctlError('usage_error', `No path given for ${method}`);
  if (!where.startsWith('/') || where.startsWith('//')) {
    throw new GovctlError('usage_error', `The path ${where} must start with a single /`, {
      hint: /^[a-z][a-z0-9/-]*$/.test(where)
        ? `Did you mean ${where.startsWith('v1/') ? '' : '/v1'}/${where}? To list all endpoints, run \`govctl api --list\`.`
        : 'To protect your credentials, requests go only to the service. To use another service, pass --base-url.',
    });
  }
  return { method, where };
}

function parseField(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new GovctlError('usage_error', `--field ${text}: must be name=value`);
}

/** Values of a body are YAML, so `true`, `5` and `[a, b]` mean what they say. */
async function parseBodyFields(fields: readonly [string, string][]): Promise<[string, unknown][]> {
  const { parse } = await import('../terminal/yaml.ts');
  return fields.map(([name, text]) => {
    try {
      return [name, parse(text)];
    } catch (cause) {
      throw new GovctlError(
        'usage_error',
        `--field ${name}: the value is not valid YAML; quote the value`,
        {
          cause,
        },
      );
    }
  });
}

function parseHeader(text: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text);
  if (match?.[1]) return [match[1].toLowerCase(), match[2] ?? ''];
  throw new GovctlError('usage_error', `--header ${JSON.stringify(text)}: must be "Name: value"`);
}

/** JSON itself, `@file`, or `-` for standard input; checked, so that a typing error is shown with its place. */
async function readData({ world }: Context, data: string | undefined): Promise<string | undefined> {
  if (data === undefined) return undefined;
  const [from, text] =
    data === '-' || data === '@-'
      ? ['standard input', await world.terminal.readStdin()]
      : data.startsWith('@')
        ? [data.slice(1), await readInputFile(world, data.slice(1), `--data ${data}`)]
        : ['--data', data];
  try {
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw new GovctlError(
      'invalid_file',
      `${from} is not valid JSON: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  }
}

/** Refuses a method the path does not take; warns of a path or query field that is not known: another server may know it. */
export async function checkAgainstContract(
  { warn }: Context,
  { method, path: where, query }: ApiRequest,
): Promise<Endpoint | undefined> {
  const rows = endpointsAt(where);
  if (rows.length === 0) {
    const nearest = nearestPath(where);
    await warn(`${where} is not a path in this API${nearest ? `; did you mean ${nearest}?` : ''}`);
    return undefined;
  }
  const row = rows.find((candidate) => candidate.method === method);
  if (!row) {
    throw new GovctlError('usage_error', `${where} does not support ${method}`, {
      hint: `Use ${rows.map((candidate) => candidate.method).join(', ')}.`,
    });
  }
  const known = queryFields(row) ?? [];
  for (const name of Object.keys(query).filter((field) => !known.includes(field))) {
    const nearest = nearestWord(name, known);
    await warn(
      `${method} ${row.path} has no query parameter "${name}"${nearest ? `; did you mean ${nearest}?` : ''}`,
    );
  }
  return row;
}
