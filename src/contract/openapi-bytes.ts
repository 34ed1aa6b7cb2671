import type { Endpoint } from './endpoint.ts';
import { headerRefs } from './openapi-headers.ts';
import type { HeaderName } from './openapi-headers.ts';

/** What a request for bytes may carry, and what that does. */
export const partHeaders = [
  ['Range', 'The requested part of the file, such as bytes=1000-'],
  ['If-Range', 'Return the part only if the file still has this ETag, otherwise the whole file'],
  ['If-None-Match', 'Return 304 if the file still has this ETag'],
] as const;

/** The answers with bytes. @param common headers of every answer of the endpoint */
export function describeBytes(
  { status, type = 'application/octet-stream' }: Endpoint['response'],
  common: readonly HeaderName[],
): Readonly<Record<string, unknown>> {
  const headers = headerRefs([...common, ...bytesHeaders]);
  const content = { [type]: {} };
  return {
    [status]: { description: 'The whole file, with its media type', headers, content },
    206: {
      description: 'The requested part of the file',
      headers: { ...headers, ...headerRefs(['Content-Range']) },
      content,
    },
    304: { description: 'The file has not changed', headers },
    416: {
      description: 'The range is outside the file',
      headers: headerRefs(['X-Request-Id', 'Content-Range']),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  };
}

const bytesHeaders = [
  'ETag',
  'Accept-Ranges',
  'Content-Disposition',
  'Digest',
  'X-Content-SHA256',
] as const;
