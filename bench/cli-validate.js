import path from 'node:path';
import { comparePairs, govctl, peer, runNode, tempFolder, writeRepo } from './harness.js';

export const title = 'govctl validate, 1,000 files';

/** Wall time of the whole process against one that only reads, parses and compiles. */
export async function measure({ runs }) {
  const folder = tempFolder();
  writeRepo(folder, 1_000);
  const validate = (memory) => runNode([govctl, 'validate'], { cwd: folder, memory });
  const bare = (memory) =>
    runNode([peer('parse-and-compile.js'), path.join(folder, 'policies')], { memory });
  const times = await comparePairs(
    async () => (await validate()).ms,
    async () => (await bare()).ms,
    runs,
  );
  const { peak } = await validate(true);
  return [
    {
      figure: '`govctl validate`, 1,000 files',
      peer: 'bare Node: yaml + CEL package',
      ours: times.ours,
      theirs: times.peer,
      unit: 'ms',
      ratio: times.ratio,
      limit: { most: 1.5 },
      peak,
    },
  ];
}
