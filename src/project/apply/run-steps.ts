export type StepOutcome = 'done' | 'failed' | 'not_attempted';

export interface StepRun {
  readonly waitsFor: readonly (readonly number[])[];
  /** How many run at once. */
  readonly concurrency: number;
  /** Aborted: nothing more is begun; what runs is let finish. */
  readonly signal: AbortSignal;
  /** `halt`: it failed, and so would everything after it. Never rejects. */
  readonly run: (index: number) => Promise<'done' | 'failed' | 'halt'>;
}

/**
 * Runs steps that wait for others, as many at once as allowed, in their order where they don't wait. After a
 * failure everything that does not depend on it goes on.
 */
export async function runSteps({
  waitsFor,
  concurrency,
  signal,
  run,
}: StepRun): Promise<StepOutcome[]> {
  const outcomes = waitsFor.map((): StepOutcome => 'not_attempted');
  const open = waitsFor.map((needed) => needed.length);
  const dependents = waitsFor.map((): number[] => []);
  waitsFor.forEach((needed, index) => needed.forEach((other) => dependents[other]?.push(index)));
  const ready = open.flatMap((count, index) => (count === 0 ? [index] : []));
  let next = 0;
  let halted = false;

  return new Promise((resolve) => {
    let running = 0;
    const pump = (): void => {
      while (running < concurrency && next < ready.length && !halted && !signal.aborted) {
        const index = ready[next++] as number; // below its length
        running++;
        void run(index).then((result) => {
          running--;
          outcomes[index] = result === 'done' ? 'done' : 'failed';
          if (result === 'halt') halted = true;
          if (result === 'done') release(index);
          pump();
        });
      }
      if (running === 0) resolve(outcomes);
    };
    const release = (index: number): void => {
      for (const dependent of dependents[index] ?? []) {
        const left = (open[dependent] ?? 0) - 1;
        open[dependent] = left;
        if (left === 0) ready.push(dependent);
      }
    };
    pump();
  });
}
