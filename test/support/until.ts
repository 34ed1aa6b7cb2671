import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after which a condition counts as never met, on any machine. */
const longest = 60_000;

/** Resolves as soon as the condition holds. @throws where it does not come to hold */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + longest;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('what was waited for did not come');
    await sleep(10);
  }
}
