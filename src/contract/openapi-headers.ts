const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } });
export const sharedHeaders = {
  'X-Request-Id': { description: 'Finds the request in the log', schema: { type: 'string' } },
  ETag: { description: 'The version; send it as If-Match', schema: { type: 'string' } },
  'X-RateLimit-Limit': integerHeader('Requests in the window with the least left'),
  'X-RateLimit-Remaining': integerHeader('Requests left in it'),
  'X-RateLimit-Reset': integerHeader('Its end, in seconds since the epoch'),
  'X-RateLimit-Retry-After': integerHeader('Seconds until the next try'),
  'Retry-After': integerHeader('Seconds until the next try'),
  'WWW-Authenticate': { description: 'How to authenticate', schema: { type: 'string' } },
  Allow: { description: 'The methods the path takes', schema: { type: 'string' } },
  'Accept-Ranges': { description: 'bytes: parts can be asked for', schema: { const: 'bytes' } },
  'Content-Disposition': { description: 'The name of the file', schema: { type: 'string' } },
  'Content-Range': { description: 'Which part of the file it is', schema: { type: 'string' } },
  Digest: { description: 'SHA-256 of all of the file, base64', schema: { type: 'string' } },
  'X-Content-SHA256': { description: 'The same in lower-case hex', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: 'true: the stored answer of an earlier request with this key',
    schema: { const: 'true' },
  },
} as const;
export type HeaderName = keyof typeof sharedHeaders;

export const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
