import { setTimeout as sleep } from 'node:timers/promises';
import { GovctlError } from '../../../contract/errors.ts';
import type { Clock } from '../../deps.ts';
import { createTurns } from '../../threads/turns.ts';

/** Who tries a password. What one has tried holds no other back, whatever address they share. */
export interface PasswordTrier {
  /** Links and tokens have a place each to check passwords at: strangers with links leave the one of tokens free. */
  readonly via: 'link' | 'token';
  /** The id of the link, or of the token's principal. */
  readonly id: string;
  readonly reportId: string;
  /** Aborts where the caller leaves. */
  readonly signal: AbortSignal;
}

/** Holds back who guesses passwords, though never for good: who knows the right one waits some seconds at most. */
export interface PasswordTries {
  /**
   * One after another for each trier; after some wrong ones, each waits first.
   * @throws GovctlError rate_limit_exceeded where too many wait already; the reason of the trier's `signal`
   */
  check(trier: PasswordTrier, isRight: () => Promise<boolean>): Promise<boolean>;
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
  pause: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) =>
    sleep(ms, undefined, { ref: false, signal }),
): PasswordTries {
  const known = new Map<string, Tries>();
  // Each check has a core and 32 MiB, and one of the few threads that files are read and written with, too.
  const places = { link: createTurns(1), token: createTurns(1) };

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
    async check({ via, id, reportId, signal }, isRight) {
      const tries = triesOf(`${via} ${id} ${reportId}`);
      if (tries.waiting >= mostWaiting) throw tooMany(via);
      tries.waiting += 1;
      const mine = tries.turn.then(async () => {
        const late = tries.wrong - free;
        signal.throwIfAborted();
        if (late >= 0) await pause(Math.min(firstPause * 2 ** late, longestPause), signal);
        const leave = await places[via].take(signal, id);
        const right = await isRight().finally(leave);
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

function tooMany(via: PasswordTrier['via']): GovctlError {
  const retryAfter = Math.ceil(longestPause / 1_000);
  const over = via === 'link' ? 'with this link' : 'by this caller for this report';
  const message = `Too many password attempts ${over}; retry in ${retryAfter} s`;
  return new GovctlError('rate_limit_exceeded', message, {
    extra: { message, retry_after: retryAfter },
    headers: { 'Retry-After': String(retryAfter) },
  });
}
