const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } });
export const sharedHeaders = {
  'X-Request-Id': {
    description: 'Request ID, for finding the request in the log',
    schema: { type: 'string' },
  },
  ETag: { description: 'Version of the object, for If-Match', schema: { type: 'string' } },
  'X-RateLimit-Limit': integerHeader(
    'Request limit of the rate limit window with the fewest requests left',
  ),
  'X-RateLimit-Remaining': integerHeader('Requests left in the rate limit window'),
  'X-RateLimit-Reset': integerHeader(
    'End of the rate limit window, in seconds since the Unix epoch',
  ),
  'X-RateLimit-Retry-After': integerHeader('Seconds to wait before retrying'),
  'Retry-After': integerHeader('Seconds to wait before retrying'),
  'WWW-Authenticate': { description: 'How to authenticate', schema: { type: 'string' } },
  Allow: { description: 'The methods that the path supports', schema: { type: 'string' } },
  'Accept-Ranges': { description: 'bytes: supports Range requests', schema: { const: 'bytes' } },
  'Content-Disposition': { description: 'The name of the file', schema: { type: 'string' } },
  'Content-Range': {
    description: 'The part of the file in this response',
    schema: { type: 'string' },
  },
  Digest: { description: 'SHA-256 of the whole file, in base64', schema: { type: 'string' } },
  'X-Content-SHA256': {
    description: 'SHA-256 of the whole file, in lowercase hex',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: 'true: the stored response of an earlier request with this key',
    schema: { const: 'true' },
  },
} as const;
export type HeaderName = keyof typeof sharedHeaders;

export const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
