import * as z from 'zod';
import { contract } from '../../src/contract/contract.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import type { Fetch } from '../../src/client/http.ts';

/** Each makes a terminal, an editor, or the program that runs a CI job do something. */
const sequences = [
  '::add-mask::a',
  '\u001b[2J',
  '\u001b[31mRED',
  '\u001b]0;title\u0007',
  '\u001b]8;;https://e.example\u0007link',
  '\u009b31m\u0085',
  '\u0000\u007f\b',
  '\r::error::b',
  '\u202eleft',
  '\u2066isolated',
  '\u2028::set-env name=C::1',
  '\n::set-env name=D::1',
  '\n \u00a0\t::stop-commands::e',
  '\n##[set-env name=F;]1',
  '##vso[task.setvariable variable=G]1 ##teamcity[h]',
];
/** Short enough for the name of a policy. */
export const hostile = sequences.join(' ');

/** What of it could still act in some output; our own colours are taken out where there may be any. */
export function actingIn(text: string, { colour = false, annotations = false } = {}): string[] {
  const plain = colour ? text.replace(/\u001b\[(?:[123]m|22m|3[0-9]m)/g, '') : text;
  const characters =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
  const ours = annotations ? /^::(?:error|warning) file=[^:\n]*::/ : /^$/;
  return [
    ...(plain.match(characters) ?? []).map((one) => `U+${one.charCodeAt(0).toString(16)}`),
    ...plain.split('\n').filter((line) => line.trim().startsWith('::') && !ours.test(line)),
    ...(plain.match(/##[\w.]*\[/g) ?? []),
  ];
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** For texts of a form: the first that has it. */
const plainTexts = ['/plain', 'plain', '1', 'USD', '2026-01'];

/** A value that a schema takes, with the hostile text wherever it takes any text. */
function hostileValue(schema: JsonSchema, root: JsonSchema, depth = 0): unknown {
  if (typeof schema.$ref === 'string') {
    const named = (root.$defs as Record<string, JsonSchema>)[schema.$ref.replace('#/$defs/', '')];
    return depth > 8 ? null : hostileValue(named ?? root, root, depth + 1);
  }
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) {
    const words = schema.enum as unknown[];
    return ['completed', 'delivered'].find((word) => words.includes(word)) ?? words[0];
  }
  const any = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  const first = any?.find(({ type }) => type !== 'null');
  if (first) return hostileValue(first, root, depth + 1);
  const all = schema.allOf as readonly JsonSchema[] | undefined;
  if (all) {
    return Object.assign({}, ...all.map((one) => hostileValue(one, root, depth + 1))) as unknown;
  }
  const types = [schema.type].flat();
  switch (types.find((type) => type !== 'null')) {
    case 'string':
      if (schema.format === 'date-time') return '2026-01-15T12:00:00Z';
      if (schema.format === 'date') return '2026-01-15';
      if (schema.format === 'uri') return 'https://receiver.example.com/hook';
      if (schema.pattern === undefined) return hostile;
      return plainTexts.find((text) => new RegExp(String(schema.pattern)).test(text)) ?? 'plain';
    case 'number':
    case 'integer':
      return (schema.minimum as number | undefined) ?? 1;
    case 'boolean':
      return true;
    case 'array':
      if (Array.isArray(schema.prefixItems)) {
        const items = schema.prefixItems as readonly JsonSchema[];
        return items.map((one) => hostileValue(one, root, depth + 1));
      }
      return [hostileValue((schema.items ?? {}) as JsonSchema, root, depth + 1)];
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
      const more = schema.additionalProperties;
      const entries = properties.map(([name, one]) => [name, hostileValue(one, root, depth + 1)]);
      if (typeof more === 'object' && properties.length === 0) {
        entries.push([hostile, hostileValue(more as JsonSchema, root, depth + 1)]);
      }
      return Object.fromEntries(entries) as unknown;
    }
    default:
      return hostile;
  }
}

const endpoints: readonly Endpoint[] = Object.values(contract).flatMap((verbs): Endpoint[] =>
  Object.values(verbs),
);

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path);

function answerTo(method: string, path: string): { status: number; body: unknown } {
  const fitting = endpoints.filter((row) => row.method === method && matches(row.path, path));
  const endpoint = fitting.find((row) => row.path === path) ?? fitting[0];
  const schema = endpoint?.response.body;
  if (!endpoint || !schema)
    return { status: endpoint?.response.status ?? 404, body: { error: hostile } };
  const json = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input', reused: 'inline' });
  const body = hostileValue(json as JsonSchema, json as JsonSchema);
  return { status: endpoint.response.status, body };
}

/** Ends lists after their first page. */
function endPages(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('pagination' in body)) return body;
  return { ...body, pagination: { total: 1, limit: 1, offset: 0, has_more: false } };
}

/** A service whose every answer has hostile text in each of its fields and headers. */
export const hostileService =
  (): Fetch =>
  async (url, { method }) => {
    const { status, body } = answerTo(method, new URL(url).pathname);
    return answerOf(status, endPages(body));
  };

/** A service that refuses everything, in hostile words. */
export const refusingService =
  (status: number, error: string): Fetch =>
  async () =>
    answerOf(status, {
      error,
      error_code: hostile,
      error_description: hostile,
      message: hostile,
      request_id: hostile,
      details: [{ field: hostile, message: hostile }],
      retry_after: 1,
    });

/** No `Response`: it would refuse such headers, as a parser of HTTP does not have to. */
function answerOf(status: number, body: unknown): Awaited<ReturnType<Fetch>> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-request-id': hostile,
    location: hostile,
    etag: hostile,
    'retry-after': '0',
  };
  const text = JSON.stringify(body);
  const answer = {
    status,
    ok: status < 300,
    headers: {
      get: (name: string) => headers[name.toLowerCase()] ?? null,
      [Symbol.iterator]: () => Object.entries(headers)[Symbol.iterator](),
    },
    text: () => Promise.resolve(text),
    body: (async function* () {
      yield Buffer.from(text);
    })(),
    clone: () => answer,
  };
  return answer;
}
