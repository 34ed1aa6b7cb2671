import { compareProcesses, govctl, runNode } from './harness.js';

export const title = 'govctl --version';

/** Wall time of the whole process against the smallest Node process there is. */
export async function measure({ runs }) {
  const row = await compareProcesses({
    figure: '`govctl --version`',
    peer: '`node -e 0`',
    most: 1.5,
    runs: runs * 4,
    ours: (memory) => runNode([govctl, '--version'], { memory }),
    theirs: () => runNode(['-e', '0']),
  });
  return [row];
}
