import type { ByteRange } from '../store/store.ts';

/**
 * What a Range header asks of so many bytes (RFC 9110, 14.1.2). Several ranges at once, other units and what can't be
 * read are asking for all of it, as the RFC allows.
 * @returns 'none' where there is not one byte of the range
 */
export function readRange(header: string | null, size: number): ByteRange | 'whole' | 'none' {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    // The last so many.
    const count = Math.min(Number(last), size);
    return count === 0 ? 'none' : { start: size - count, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= size) return 'none';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

/** Whether a list of entity tags names this one, as If-None-Match compares: weakly. */
export const namesTag = (header: string | null, tag: string): boolean =>
  header !== null &&
  (header.trim() === '*' ||
    header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag));
