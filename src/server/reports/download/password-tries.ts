import { setTimeout as sleep } from 'node:timers/promises';
import { GovctlError } from '../../../contract/errors.ts';
import type { Clock } from '../../deps.ts';

/** Holds back who guesses passwords, though never for good: who knows the right one waits some seconds at most. */
export interface PasswordTries {
  /**
   * One after another for each `who`; after some wrong ones, each waits first.
   * @throws GovctlError rate_limit_exceeded where too many wait already
   */
  check(who: string, isRight: () => Promise<boolean>): Promise<boolean>;
}

/** Wrong tries that cost no waiting. */
const free = 5;
/** Milliseconds. */
const [firstPause, longestPause] = [250, 4_000] as const;
/** Milliseconds after the last wrong one until all are forgotten. */
const forgottenAfter = 15 * 60_000;
const mostWaiting = 8;
const mostKept = 10_000;

interface Tries {
  wrong: number;
  /** Of the clock. */
  lastWrong: number;
  waiting: number;
  turn: Promise<unknown>;
}

/** Counts in memory: a restart forgives. */
export function createPasswordTries(
  clock: Clock,
  wait: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false }),
): PasswordTries {
  const known = new Map<string, Tries>();

  const triesOf = (who: string): Tries => {
    const tries = known.get(who);
    if (tries && (tries.waiting > 0 || clock.now() - tries.lastWrong < forgottenAfter)) {
      return tries;
    }
    known.delete(who);
    // With very many the oldest is forgotten: memory stays bounded.
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= mostKept) known.delete(oldest);
    const fresh: Tries = { wrong: 0, lastWrong: clock.now(), waiting: 0, turn: Promise.resolve() };
    known.set(who, fresh);
    return fresh;
  };

  return {
    async check(who, isRight) {
      const tries = triesOf(who);
      if (tries.waiting >= mostWaiting) throw tooMany();
      tries.waiting += 1;
      const mine = tries.turn.then(async () => {
        const late = tries.wrong - free;
        if (late >= 0) await wait(Math.min(firstPause * 2 ** late, longestPause));
        const right = await isRight();
        if (!right) {
          tries.wrong += 1;
          tries.lastWrong = clock.now();
        }
        return right;
      });
      tries.turn = mine.catch(() => undefined);
      try {
        return await mine;
      } finally {
        tries.waiting -= 1;
      }
    },
  };
}

function tooMany(): GovctlError {
  const retryAfter = Math.ceil(longestPause / 1_000);
  const message = `Too many passwords are being tried for this report; try again in ${retryAfter} s`;
  return new GovctlError('rate_limit_exceeded', message, {
    extra: { message, retry_after: retryAfter },
    headers: { 'Retry-After': String(retryAfter) },
  });
}
