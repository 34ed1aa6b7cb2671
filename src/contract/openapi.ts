import * as z from 'zod';
import { TokenError } from './auth.ts';
import { contract } from './contract.ts';
import { defaultMaxBodyBytes } from './endpoint.ts';
import type { Contract, Endpoint } from './endpoint.ts';
import { scopeTexts } from './scope-texts.ts';
import { ErrorBody } from './error-body.ts';
import type { WireErrorName } from './errors.ts';
import { errorCatalogue } from './errors.ts';
import { describeBytes, partHeaders } from './openapi-bytes.ts';
import { headerRefs, sharedHeaders } from './openapi-headers.ts';
import type { HeaderName } from './openapi-headers.ts';
import { reportPasswordHeader } from './report-downloads.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The whole contract as an OpenAPI 3.1 document. */
export function buildOpenApi({ version }: { readonly version: string }) {
  const nouns: Contract = contract;
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [noun, verbs] of Object.entries(nouns)) {
    for (const [verb, endpoint] of Object.entries(verbs)) {
      const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
      (paths[path] ??= {})[endpoint.method.toLowerCase()] = describeOperation(noun, verb, endpoint);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cloud Governance Service',
      version,
      description:
        'Governance policies as code. Operations marked x-extension are extensions of the service contract. Operations marked x-own-for-people require no scope from signed-in users for their own objects.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.keys(nouns).map((name) => ({ name })),
    paths,
    components: {
      schemas: {
        Error: jsonSchema(ErrorBody, 'output'),
        TokenError: jsonSchema(TokenError, 'output'),
      },
      headers: sharedHeaders,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or an access token' },
        oauth2: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: contract.auth.token.path, scopes: scopeTexts } },
        },
      },
    },
  };
}

const rateHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

function describeOperation(noun: string, verb: string, endpoint: Endpoint): JsonObject {
  const { summary, scope, ownForPeople, ext } = endpoint;
  return {
    operationId: `${noun}.${verb}`,
    summary,
    tags: [noun],
    ...(ext ? { 'x-extension': true } : {}),
    security: scope === null ? [] : [{ bearer: [] }, { oauth2: scope === 'any' ? [] : [scope] }],
    ...(scope === null ? {} : { 'x-scope': scope }),
    ...(ownForPeople ? { 'x-own-for-people': true } : {}),
    ...describeParameters(endpoint),
    ...describeBody(endpoint),
    responses: { ...describeSuccess(endpoint), ...describeErrors(endpoint) },
  };
}

function describeParameters(endpoint: Endpoint): JsonObject {
  const { params, query, method, versioned } = endpoint;
  const conditional = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  const parameters = [
    ...parametersOf(params, 'path'),
    ...parametersOf(query, 'query'),
    ...(versioned && (method === 'PUT' || method === 'DELETE')
      ? [
          conditional(
            'If-Match',
            'Make the change only if the object still has this ETag, otherwise return 412',
          ),
        ]
      : []),
    ...(versioned && method === 'GET'
      ? [conditional('If-None-Match', 'Return 304 if the object still has this ETag')]
      : []),
    ...(endpoint.response.binary ? partHeaders.map(([name, text]) => conditional(name, text)) : []),
    ...(endpoint.errors.includes('report_password_required')
      ? [conditional(reportPasswordHeader, 'The password of a protected report')]
      : []),
    ...(method === 'POST'
      ? [
          conditional(
            'Idempotency-Key',
            'A request with the same key within 24 hours returns the stored response',
          ),
        ]
      : []),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

function parametersOf(schema: z.ZodType | undefined, where: 'path' | 'query'): JsonObject[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: property,
  }));
}

function describeBody(endpoint: Endpoint): JsonObject {
  const {
    body,
    streamed,
    bodyTypes = ['application/json'],
    maxBodyBytes = defaultMaxBodyBytes,
  } = endpoint;
  if (streamed !== undefined) {
    const content = { [streamed]: { schema: { type: 'string' } } };
    return { requestBody: { required: true, description: 'Streamed; any size', content } };
  }
  if (!body) return {};
  const schema = jsonSchema(body, 'input');
  const content = Object.fromEntries(bodyTypes.map((type) => [type, { schema }]));
  const description = `At most ${maxBodyBytes / 1024} KiB`;
  return { requestBody: { required: true, description, content } };
}

function describeSuccess({ response, scope, versioned, creates, method }: Endpoint): JsonObject {
  const headers: HeaderName[] = [
    'X-Request-Id',
    ...(versioned && response.body ? (['ETag'] as const) : []),
    ...(scope === null ? [] : rateHeaders),
    ...(method === 'POST' ? (['Idempotent-Replayed'] as const) : []),
  ];
  if (response.binary) return describeBytes(response, headers);
  const type = response.type ?? 'application/json';
  const answer = {
    description: response.body ? 'Success' : 'Success, without a body',
    headers: headerRefs(headers),
    ...(response.body
      ? { content: { [type]: { schema: jsonSchema(response.body, 'output') } } }
      : {}),
  };
  const unchanged = {
    description: 'The object has not changed',
    headers: headerRefs(['X-Request-Id', 'ETag']),
  };
  return {
    [response.status]: answer,
    ...(creates ? { 201: { ...answer, description: 'Created' } } : {}),
    ...(versioned && method === 'GET' ? { 304: unchanged } : {}),
  };
}

/** What an endpoint may answer: its own errors, and those that any endpoint of its kind may. */
export function errorsOf(endpoint: Endpoint): readonly WireErrorName[] {
  const { scope, params, query, body, streamed, method, errors } = endpoint;
  return [
    ...new Set<WireErrorName>([
      ...errors,
      ...(scope === null
        ? []
        : ([
            'invalid_token',
            'expired_token',
            'insufficient_scope',
            'rate_limit_exceeded',
          ] as const)),
      ...(params || query || body || streamed || method === 'GET'
        ? (['malformed_request'] as const)
        : []),
      ...(body ? (['body_too_large'] as const) : []),
      ...(body || streamed ? (['unsupported_media_type'] as const) : []),
      ...(method === 'POST' ? (['idempotency_key_reused'] as const) : []),
      'internal_error',
      'unavailable',
    ]),
  ];
}

const errorHeaders: Partial<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate', ...rateHeaders],
  412: ['ETag'],
  429: [...rateHeaders, 'X-RateLimit-Retry-After', 'Retry-After'],
  503: ['Retry-After'],
};

function describeErrors(endpoint: Endpoint): JsonObject {
  const byStatus = new Map<number, WireErrorName[]>();
  for (const name of errorsOf(endpoint)) {
    const { status } = errorCatalogue[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  const answers = [...byStatus].map(([status, names]) => [status, describeError(status, names)]);
  return {
    ...Object.fromEntries(answers),
    ...(endpoint.path === contract.auth.token.path ? rfc6749Errors : {}),
  };
}

function describeError(status: number, names: readonly WireErrorName[]): JsonObject {
  return {
    description: names.map((name) => errorCatalogue[name].title).join('; '),
    headers: headerRefs(['X-Request-Id', ...(errorHeaders[status] ?? [])]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(names.map((name) => [name, { value: exampleOf(name) }])),
      },
    },
  };
}

const exampleOf = (name: WireErrorName) => ({
  error: name,
  error_code: errorCatalogue[name].code,
  error_description: errorCatalogue[name].title,
  timestamp: '2026-01-02T03:04:05.678Z',
  request_id: 'req_01kdz5m3x4e8r9t0v1w2y3z4a5',
});

const rfc6749Errors = Object.fromEntries(
  [400, 401].map((status) => [
    status,
    {
      description: status === 401 ? 'Unknown client' : 'The token request is not valid',
      headers: headerRefs([
        'X-Request-Id',
        ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
      ]),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/TokenError' } } },
    },
  ]),
);

/** Without what only makes sense at the root of a document of its own. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const all = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== '$schema'));
}
