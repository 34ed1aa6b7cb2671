import type { Deps } from '../../deps.ts';
import { reports } from '../collection.ts';
import type { StoredReport } from '../collection.ts';

/** Milliseconds between two times that progress is written down: of short ones, none is. */
const writeEvery = 1_000;

/** How far an attempt is, for those who look at its report. */
export interface Progress {
  /** Percent. */
  readonly tell: (percent: number) => void;
  /** Writes no more, and waits for what is on its way. */
  end(): Promise<void>;
}

export function createProgress({ store, clock, log }: Deps, report: StoredReport): Progress {
  let last = clock.monotonic();
  let furthest = 0;
  let ended = false;
  let writing: Promise<void> | undefined;

  const write = async (percent: number): Promise<void> => {
    try {
      await store.transact(async (tx) => {
        const current = (await tx.get(reports, report.id))?.doc;
        if (current?.status !== 'generating' || current.attempts !== report.attempts) return;
        await tx.replace(reports, { ...current, progress: percent });
      });
    } catch (error) {
      // What it is of goes on, or says itself what is wrong.
      log.warn({ report_id: report.id, err: error }, 'progress was not stored');
    } finally {
      writing = undefined;
    }
  };

  return {
    tell(percent) {
      const whole = Math.floor(Math.min(99, percent));
      const now = clock.monotonic();
      if (ended || writing || whole <= furthest || now - last < writeEvery) return;
      [last, furthest] = [now, whole];
      writing = write(whole);
    },
    async end() {
      ended = true;
      await writing;
    },
  };
}
