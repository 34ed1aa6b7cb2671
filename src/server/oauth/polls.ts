import { hashSecret } from '../keys/hashed-secrets.ts';

/** Seconds that a device waits between two tries, and by which each early one makes that longer (RFC 8628 section 3.5). */
export const pollInterval = 5;

/** Devices that are remembered: as many as logins can be under way. */
const mostKept = 10_000;

/** How often devices ask whether they were let in. */
export interface Polls {
  /** Call it for a code that waits for a person. @returns whether the device asks too often */
  isEarly(code: string): boolean;
}

/** @param now milliseconds since the epoch */
export function createPolls(now: () => number): Polls {
  const last = new Map<string, { readonly at: number; readonly interval: number }>();
  return {
    isEarly(code) {
      const hash = hashSecret(code);
      const before = last.get(hash);
      const at = now();
      // A clock that was set back says nothing.
      const isEarly = before !== undefined && at >= before.at && at - before.at < before.interval * 1_000; // prettier-ignore
      const interval = (before?.interval ?? pollInterval) + (isEarly ? pollInterval : 0);
      last.delete(hash);
      last.set(hash, { at, interval });
      const [oldest] = last.size > mostKept ? last.keys() : [];
      if (oldest !== undefined) last.delete(oldest);
      return isEarly;
    },
  };
}
