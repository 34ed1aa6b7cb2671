import path from 'node:path';
import { compareProcesses, govctl, peer, runNode, tempFolder, writeRepo } from './harness.js';

export const title = 'govctl validate, 1,000 files';

/** Wall time of the whole process against one that only reads, parses and compiles. */
export async function measure({ runs }) {
  const folder = tempFolder();
  writeRepo(folder, 1_000);
  const validate = (memory) => runNode([govctl, 'validate'], { cwd: folder, memory });
  const bare = (memory) =>
    runNode([peer('parse-and-compile.js'), path.join(folder, 'policies')], { memory });
  const row = await compareProcesses({
    figure: '`govctl validate`, 1,000 files',
    peer: 'bare Node: yaml + CEL package',
    most: 1.5,
    runs,
    ours: validate,
    theirs: bare,
  });
  return [row];
}
