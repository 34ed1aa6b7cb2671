import { comparePairs, govctl, runNode } from './harness.js';

export const title = 'govctl --version';

/** Wall time of the whole process against the smallest Node process there is. */
export async function measure({ runs }) {
  const { ours, peer, ratio } = await comparePairs(
    async () => (await runNode([govctl, '--version'])).ms,
    async () => (await runNode(['-e', '0'])).ms,
    runs * 4,
  );
  const { peak } = await runNode([govctl, '--version'], { memory: true });
  return [
    {
      figure: '`govctl --version`',
      peer: '`node -e 0`',
      ours,
      theirs: peer,
      unit: 'ms',
      ratio,
      limit: { most: 1.5 },
      peak,
    },
  ];
}
