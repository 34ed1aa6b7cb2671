import { printableLine } from '../terminal/printable.ts';
import type { TrustedKey } from './trusted-key.ts';
import { shortKeyId } from './trusted-key.ts';

type Status = 'known' | 'other' | 'unknown';

const statusOf = (id: string, trusted: TrustedKey | undefined): Status =>
  trusted === undefined ? 'unknown' : trusted.id === id ? 'known' : 'other';

/** Who signed, for programs. @param id of the key that signed */
export const signerValue = (id: string, trusted: TrustedKey | undefined) => ({
  key_id: id,
  status: statusOf(id, trusted),
  ...(trusted === undefined ? {} : { expected_key_id: trusted.id }),
  ...(trusted?.pinned ? { pinned_for: trusted.pinned.base_url } : {}),
});

/** The same for people. */
export function signerLine(id: string, trusted: TrustedKey | undefined): string {
  const status = statusOf(id, trusted);
  const given = trusted?.pinned
    ? `the key pinned for ${printableLine(trusted.pinned.base_url)}`
    : 'the key in --key';
  const said = {
    known: given,
    other: `not ${given} (${shortKeyId(trusted?.id ?? '')}): another server, or a new key`,
    unknown: 'unknown: no key pinned, and no --key given',
  }[status];
  return `Signer   ${shortKeyId(printableLine(id))}  ${said}`;
}
