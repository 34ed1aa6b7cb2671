import type { Words } from './spelling.ts';
import { isUnknown, text, unlike } from './values.ts';

/** `TLS1_2`, `TLS_1_2`, `TLSv1.2`, `Tls12` and `1.2` are `1.2`. */
export function tlsVersion(value: unknown) {
  const written = text(value);
  if (written === undefined || written === '' || isUnknown(written)) return written || undefined;
  const [, major, minor] = /^(?:tls)?[_v]*(\d)[._]?(\d)$/i.exec(written.trim()) ?? [];
  return major === undefined || minor === undefined
    ? unlike(written, 'a known version')
    : `${major}.${minor}`;
}

export const tlsVersions: Words = { words: ['1.0', '1.1', '1.2', '1.3'], read: tlsVersion };
