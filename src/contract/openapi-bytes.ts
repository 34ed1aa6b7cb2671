import type { Endpoint } from './endpoint.ts';
import { headerRefs } from './openapi-headers.ts';
import type { HeaderName } from './openapi-headers.ts';

/** What a request for bytes may carry, and what that does. */
export const partHeaders = [
  ['Range', 'The part of it that is wanted, such as bytes=1000-'],
  ['If-Range', 'Answer a part only of the file with this ETag, else all of it'],
  ['If-None-Match', 'Answer 304 if the reader has this ETag'],
] as const;

/** The answers with bytes. @param common headers of every answer of the endpoint */
export function describeBytes(
  { status, type = 'application/octet-stream' }: Endpoint['response'],
  common: readonly HeaderName[],
): Readonly<Record<string, unknown>> {
  const headers = headerRefs([...common, ...bytesHeaders]);
  const content = { [type]: {} };
  return {
    [status]: { description: 'All of the file; its media type is its own', headers, content },
    206: {
      description: 'The part that Range asks for',
      headers: { ...headers, ...headerRefs(['Content-Range']) },
      content,
    },
    304: { description: 'The reader has this file', headers },
    416: {
      description: 'There is nothing in the range',
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
