import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';

/** Lower-case hex of the SHA-256 of a text. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Lower-case hex of the SHA-256 over the canonical JSON of a value. */
export const fingerprint = (value: unknown): string => sha256(canonicalJson(value));

/** How much of a content fingerprint a tag carries. */
export const stampOf = (sha256: string): string => sha256.slice(0, 12);
