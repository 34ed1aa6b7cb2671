import type { InputProblem } from '../model.ts';
import { createPlaces } from './place.ts';

type TextDecoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: InputProblem };

/**
 * The text of a file: UTF-8, or UTF-16 as PowerShell writes what it redirects, with or without a byte order mark. Bytes
 * that are neither are a problem at the first of them.
 */
export function decodeText(bytes: Uint8Array): TextDecoded {
  const encoding = encodingOf(bytes);
  try {
    // The decoder takes a byte order mark away.
    return { ok: true, text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    const before = validPrefix(bytes, encoding);
    const message = `the input is not ${encoding.toUpperCase()} text from this point on; save it as UTF-8`;
    return { ok: false, problem: { message, ...createPlaces(before)(before.length) } };
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // JSON and YAML begin with two ASCII characters, of which every other byte is zero in UTF-16.
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second !== 0 && third === 0 && fourth !== 0) return 'utf-16be';
  return 'utf-8';
}

/** The text before the first bytes that are none. */
function validPrefix(bytes: Uint8Array, encoding: string): string {
  let low = 0;
  let high = bytes.length;
  const decode = (length: number): string =>
    // As a stream: a character that is cut off at the end is no error.
    new TextDecoder(encoding, { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    try {
      decode(middle);
      low = middle;
    } catch {
      high = middle - 1;
    }
  }
  return decode(low);
}
