import { isUtf8 } from 'node:buffer';
import { GovctlError } from '../../contract/errors.ts';
import { locateJsonError } from './locate-json-error.ts';

/** Bytes. */
const maxBodyBytes = 10 * 1024 * 1024;

/**
 * Reads a request's body as text, up to the limit, also where no length was announced.
 * @throws GovctlError unsupported_media_type, body_too_large or malformed_request
 */
export async function readBody(request: Request, types: readonly string[]): Promise<string> {
  checkMediaType(request.headers, types);
  const bytes = await readBytes(request).catch((error: unknown) => {
    if (error instanceof GovctlError) throw error;
    throw new GovctlError('malformed_request', 'The body was cut off before its end', {
      cause: error,
    });
  });
  if (!isUtf8(bytes)) throw new GovctlError('malformed_request', 'The body is not valid UTF-8');
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function checkMediaType(headers: Headers, types: readonly string[]): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const accepted = types.join(' or ');
  if (!types.includes(type.trim())) {
    const sent = type.trim() === '' ? 'no Content-Type' : `Content-Type ${type.trim()}`;
    throw new GovctlError(
      'unsupported_media_type',
      `The request came with ${sent}; this endpoint takes ${accepted}`,
    );
  }
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new GovctlError(
      'unsupported_media_type',
      `The body's ${charset} is not taken, only UTF-8`,
    );
  }
  const encoding = headers.get('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') {
    throw new GovctlError(
      'unsupported_media_type',
      `The body's Content-Encoding ${encoding} is not taken; send it as it is`,
    );
  }
}

const tooLarge = (): GovctlError =>
  new GovctlError('body_too_large', `The body has more than ${maxBodyBytes} bytes (10 MiB)`);

async function readBytes(request: Request): Promise<Buffer> {
  const announced = request.headers.get('content-length');
  if (announced !== null) {
    if (Number(announced) > maxBodyBytes) throw tooLarge();
    // HTTP framing holds a body to the announced length; a request made in this process is held to it here.
    const bytes = Buffer.from(await request.arrayBuffer());
    if (bytes.length > maxBodyBytes) throw tooLarge();
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    size += chunk.value.length;
    if (size > maxBodyBytes) {
      await reader?.cancel();
      throw tooLarge();
    }
    chunks.push(chunk.value);
  }
  return Buffer.concat(chunks);
}

/** @throws GovctlError malformed_request with line and column */
export function parseJson(text: string): unknown {
  if (text.trim() === '')
    throw new GovctlError('malformed_request', 'The body is empty; it must be JSON');
  try {
    return JSON.parse(text);
  } catch {
    const { line, column, found } = locateJsonError(text);
    const message = `unexpected ${found} at line ${line}, column ${column}`;
    throw new GovctlError('malformed_request', `The body is not JSON: ${message}`, {
      details: [{ field: 'body', message }],
    });
  }
}

/** @throws GovctlError malformed_request when a field is given twice */
export function parseForm(text: string): Record<string, string> {
  return uniqueEntries(new URLSearchParams(text), 'The form');
}

/** @throws GovctlError malformed_request when a name is given twice */
export function uniqueEntries(given: URLSearchParams, where: string): Record<string, string> {
  const seen = new Map<string, string>();
  for (const [name, value] of given) {
    if (seen.has(name)) {
      throw new GovctlError('malformed_request', `${where} gives ${name} twice`, {
        details: [
          {
            field: name,
            message: `is given twice; several values go into one, separated by commas`,
          },
        ],
      });
    }
    seen.set(name, value);
  }
  return Object.fromEntries(seen);
}
