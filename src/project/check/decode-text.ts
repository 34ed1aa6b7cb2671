import { decodeText as decode } from '../../inventory/text/decode-text.ts';

/** The text of a file, UTF-8 or UTF-16; undefined where it is neither. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const decoded = decode(bytes);
  return decoded.ok ? decoded.text : undefined;
}
