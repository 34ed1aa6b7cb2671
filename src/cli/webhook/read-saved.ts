import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import type { World } from '../context.ts';
import { notReadable } from '../flags/input-file.ts';
import { openBytes } from '../flags/open-bytes.ts';
import { count } from '../terminal/printable.ts';

export interface SavedDelivery {
  readonly body: Buffer;
  /** Pairs, as a header may come twice. */
  readonly headers: readonly (readonly [string, string])[];
  /** What was wrong with how it was saved, and was made good. */
  readonly notices: readonly string[];
}

/** Bytes; deliveries are far smaller. */
const longestFile = 64 * 1024 * 1024;

/** @throws GovctlError file_error, invalid_file */
export async function readBytes({ terminal, cwd, signal }: World, file: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const source =
      file === '-' ? terminal.stdinBytes(signal) : await openBytes(path.resolve(cwd, file), signal);
    for await (const chunk of source) {
      size += chunk.length;
      if (size > longestFile) {
        throw new GovctlError('invalid_file', `${file} is larger than 64 MiB, the maximum`);
      }
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof GovctlError) throw cause;
    throw notReadable(file, cause);
  }
  return Buffer.concat(chunks);
}

/**
 * A saved delivery: a line of `govctl webhook listen -o ndjson`, or a request as it was on the wire.
 * @throws GovctlError invalid_file
 */
export const parseDelivery = (file: string, bytes: Buffer): SavedDelivery =>
  /^\s*\{/.test(bytes.subarray(0, 64).toString('latin1'))
    ? parseRow(file, bytes.toString('utf8'))
    : parseRequest(file, bytes);

/** As the listener writes it: `headers`, and `body` or, where that is no text, `body_base64`. */
function parseRow(file: string, text: string): SavedDelivery {
  const [line = '', second] = text.split('\n').filter((one) => one.trim() !== '');
  if (second !== undefined && isJson(line)) {
    throw new GovctlError('invalid_file', `${file} contains more than one delivery`, {
      hint: `Pass one line, for example the last: \`tail -n 1 FILE | govctl webhook verify --request -\`.`,
    });
  }
  const row = parseJson(file, text);
  const { headers, body, body_base64: base64 } = row as Readonly<Record<string, unknown>>; // as it begins with {
  const bytes =
    typeof body === 'string'
      ? Buffer.from(body)
      : typeof base64 === 'string'
        ? Buffer.from(base64, 'base64')
        : undefined;
  if (!bytes || typeof headers !== 'object' || headers === null) {
    throw new GovctlError('invalid_file', `${file} has no headers or body`, {
      hint: 'Pass a line of `govctl webhook listen -o ndjson`, or the raw HTTP request.',
    });
  }
  return { body: bytes, headers: headerPairs(file, headers), notices: [] };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @throws GovctlError invalid_file */
function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GovctlError(
      'invalid_file',
      `${file} is not valid JSON: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  }
}

/**
 * A request as it was on the wire: a request line, if it was kept, header lines, a blank line, the body's bytes.
 * @throws GovctlError invalid_file
 */
export function parseRequest(file: string, bytes: Buffer): SavedDelivery {
  const end = headEnd(bytes);
  if (!end) {
    throw new GovctlError('invalid_file', `${file} has no blank line between headers and body`, {
      hint: 'If the headers and body are in two files, use --body and --headers.',
    });
  }
  const headers = parseHeaders(file, bytes.subarray(0, end.head).toString('latin1'));
  const value = (name: string): string | undefined =>
    headers.find(([its]) => its.toLowerCase() === name)?.[1];
  const encoding = value('transfer-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new GovctlError(
      'invalid_file',
      `${file}: the body has the encoding ${encoding}, but the signature covers the decoded body`,
      { hint: 'Save the decoded body, then use --body and --headers.' },
    );
  }
  return cutToLength(
    file,
    { body: bytes.subarray(end.body), headers, notices: [] },
    value('content-length'),
  );
}

/** Editors end a file with a line break that was never sent. */
function cutToLength(
  file: string,
  saved: SavedDelivery,
  length: string | undefined,
): SavedDelivery {
  const { body } = saved;
  const wanted = Number(length);
  if (length === undefined || !/^\d{1,9}$/.test(length) || wanted === body.length) return saved;
  if (wanted > body.length) {
    const notices = [
      `${file}: the body has ${body.length} bytes, but Content-Length is ${wanted}: the file is incomplete`,
    ];
    return { ...saved, notices };
  }
  const notices = [
    `${file}: ignored ${count(body.length - wanted, 'byte')} after the ${wanted} of Content-Length`,
  ];
  return { ...saved, body: body.subarray(0, wanted), notices };
}

function headEnd(bytes: Buffer): { head: number; body: number } | undefined {
  const found = ['\r\n\r\n', '\n\n'].flatMap((blank) => {
    const head = bytes.indexOf(blank);
    return head < 0 ? [] : [{ head, body: head + blank.length }];
  });
  return found.sort((a, b) => a.head - b.head)[0];
}

/**
 * Headers as lines `Name: value`, or as JSON: an object, or pairs.
 * @throws GovctlError invalid_file
 */
export function parseHeaders(file: string, text: string): (readonly [string, string])[] {
  if (/^\s*[{[]/.test(text)) return headerPairs(file, parseJson(file, text));
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .flatMap((line, index) => {
      const [, name, value] = /^([^\s:]+):[ \t]*(.*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) return [[name, value.trimEnd()] as const];
      // The request line, or the status line of a tool that shows both.
      if (index === 0 && /HTTP\/\d/.test(line)) return [];
      throw new GovctlError('invalid_file', `${file}:${index + 1}: invalid header line`, {
        hint: 'Use lines such as X-Service-Signature: sha256=…, or JSON.',
      });
    });
}

/** An object, or pairs. @throws GovctlError invalid_file */
function headerPairs(file: string, value: unknown): (readonly [string, string])[] {
  const pairs: unknown[] = Array.isArray(value) ? value : Object.entries(value as object); // as JSON has it
  return pairs.flatMap((pair): (readonly [string, string])[] => {
    const [name, given] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const values = Array.isArray(given) ? (given as unknown[]) : [given];
    return values.map((one) => {
      if (typeof name === 'string' && (typeof one === 'string' || typeof one === 'number')) {
        return [name, String(one)] as const;
      }
      throw new GovctlError(
        'invalid_file',
        `${file} contains no headers such as {"Name": "value"}`,
      );
    });
  });
}
