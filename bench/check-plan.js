import path from 'node:path';
import { compareProcesses, govctl, peer, runNode, tempFolder, writeRepo } from './harness.js';
import { makeBucketPolicy, writePlan } from './inventory.js';

export const title = 'govctl check, a Terraform plan of 1,000 resources';

/** Wall time of the whole process against one that only reads the policies and parses the plan. */
export async function measure({ runs }) {
  const folder = tempFolder();
  writeRepo(folder, 100, undefined, makeBucketPolicy);
  const plan = path.join(folder, 'plan.json');
  await writePlan(plan, 1_000);
  const check = async (memory) => {
    const result = await runNode([govctl, 'check', plan, '-o', 'json'], {
      cwd: folder,
      memory,
      expect: [0, 2],
    });
    const { summary } = JSON.parse(result.stdout);
    if (summary.resources !== 1_000 || summary.evaluated === 0) {
      throw new Error(`not all was checked: ${JSON.stringify(summary)}`);
    }
    return result;
  };
  const bare = () => runNode([peer('parse-plan.js'), path.join(folder, 'policies'), plan]);
  const row = await compareProcesses({
    figure: '`govctl check`, plan of 1,000 resources, 100 policies',
    peer: 'bare Node: yaml + JSON.parse',
    most: 1.5,
    runs,
    ours: check,
    theirs: bare,
  });
  return [row];
}
