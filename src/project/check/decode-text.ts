/**
 * Bytes as text: UTF-8, or UTF-16 as PowerShell writes what it redirects, with or without a byte order mark. A file that is
 * neither is undefined: it would not be read as what it says.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const encoding = encodingOf(bytes);
  try {
    // The decoder takes a byte order mark away.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // JSON and YAML begin with two ASCII characters, of which every other byte is zero in UTF-16.
  if (second === 0 && fourth === 0 && first !== 0) return 'utf-16le';
  if (first === 0 && third === 0 && second !== 0) return 'utf-16be';
  return 'utf-8';
}
