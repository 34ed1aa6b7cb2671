import { readFileSync } from 'node:fs';
import type { Problem } from '../model.ts';
import { createSource, problemAt } from './source.ts';
import type { Finding, Source } from './source.ts';

/** Bytes. A policy file is a few kilobytes; what is larger is something else, and is not read into memory. */
const maxFileSize = 8 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

type TextRead =
  { readonly source: Source } | { readonly source?: undefined; readonly problem: Problem };

/** Reads a file as UTF-8 text. What can't be read is a problem of that file, and the others go on. */
export function readText(file: string, absolute: string, size: number): TextRead {
  if (size > maxFileSize) {
    return refused(file, {
      code: 'file-too-large',
      message: `the file is ${Math.ceil(size / 1024 / 1024)} MiB; the maximum is ${maxFileSize / 1024 / 1024} MiB`,
      hint: 'Split the file, or add it to .govctlignore if it contains no policies.',
    });
  }
  try {
    // Reading straight into text is the fast way; what may not have been UTF-8 text is looked at again, as bytes.
    const text = readFileSync(absolute, 'utf8');
    if (text.includes('\ufffd') || text.includes('\0')) return decode(file, readFileSync(absolute));
    return { source: createSource(file, text.startsWith('\ufeff') ? text.slice(1) : text) };
  } catch (error) {
    return refused(file, unreadable(error));
  }
}

function decode(file: string, bytes: Uint8Array): TextRead {
  const wide = utf16(bytes);
  if (wide) {
    return refused(file, {
      code: 'encoding',
      message: `the file is ${wide}, but must be UTF-8`,
      hint: 'Save the file as UTF-8.',
    });
  }
  const nul = bytes.indexOf(0);
  if (nul >= 0) {
    const before = createSource(file, new TextDecoder().decode(bytes.subarray(0, nul)));
    const place = before.place(before.text.length);
    return {
      problem: {
        level: 'error',
        code: 'binary-file',
        message: 'the file contains a NUL byte and is not text',
        hint: 'If the file contains no policies, add it to .govctlignore.',
        ...place,
      },
    };
  }
  try {
    return { source: createSource(file, utf8.decode(bytes)) };
  } catch {
    return refused(file, notUtf8(bytes), validPrefix(bytes));
  }
}

/** The message for an error of the file system, by its code. */
export function unreadable(error: unknown): Finding {
  const { code = 'EIO', message } = error as NodeJS.ErrnoException;
  const reasons: Partial<Record<string, string>> = {
    EACCES: 'the file cannot be read: permission denied',
    EPERM: 'the file cannot be read: permission denied',
    ENOENT: 'the file was deleted, or is a broken symbolic link',
    ELOOP: 'the file is a symbolic link to itself',
  };
  return {
    code: 'unreadable-file',
    message: reasons[code] ?? `the file cannot be read: ${message}`,
    hint: 'Repair the file, or add it to .govctlignore.',
  };
}

function refused(file: string, finding: Finding, before = ''): { problem: Problem } {
  const source = createSource(file, before);
  return { problem: problemAt(source, { start: before.length, end: before.length }, finding) };
}

function utf16(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'UTF-16 (little endian)';
  if (first === 0xfe && second === 0xff) return 'UTF-16 (big endian)';
  // Without a byte order mark: text in which every second byte is NUL.
  if (bytes.length >= 4 && first !== 0 && second === 0 && bytes[2] !== 0 && bytes[3] === 0) {
    return 'UTF-16 (little endian)';
  }
  return undefined;
}

function notUtf8(bytes: Uint8Array): Finding {
  const at = Buffer.byteLength(validPrefix(bytes));
  const byte = (bytes[at] ?? 0).toString(16).padStart(2, '0');
  return {
    code: 'encoding',
    message: `the file is not valid UTF-8: unexpected byte 0x${byte}`,
    hint: 'Save the file as UTF-8 (it may be Latin-1 or Windows-1252).',
  };
}

/** The text before the first byte that is not UTF-8. */
function validPrefix(bytes: Uint8Array): string {
  let low = 0;
  let high = bytes.length;
  // Streaming keeps an unfinished sequence at the end from counting as an error.
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, middle), { stream: true });
      low = middle;
    } catch {
      high = middle - 1;
    }
  }
  return new TextDecoder('utf-8').decode(bytes.subarray(0, low), { stream: true });
}
