import path from 'node:path';
import {
  benchKey,
  compareProcesses,
  govctl,
  loginAt,
  peer,
  runNode,
  startGovctl,
  tempFolder,
  writeRepo,
} from './harness.js';

export const title = 'govctl plan, 1,000 unchanged';

/** Wall time of the whole process against one that starts, parses the YAML and fetches the pages. */
export async function measure({ runs, port }) {
  const folder = tempFolder();
  const server = await startGovctl(port);
  writeRepo(folder, 1_000, server.url);
  const env = loginAt(server.url);
  await runNode([govctl, 'apply', '--auto-approve'], { cwd: folder, env });
  const plan = async (memory) => {
    const result = await runNode([govctl, 'plan', '-o', 'json'], { cwd: folder, env, memory });
    const { summary } = JSON.parse(result.stdout);
    if (summary.unchanged !== 1_000) throw new Error(`not unchanged: ${JSON.stringify(summary)}`);
    return result;
  };
  const bare = () =>
    runNode([peer('parse-and-list.js'), path.join(folder, 'policies'), server.url, benchKey]);
  const row = await compareProcesses({
    figure: '`govctl plan`, 1,000 unchanged',
    peer: 'bare Node: yaml + undici pages',
    most: 1.3,
    runs,
    ours: plan,
    theirs: bare,
  });
  await server.stop();
  return [row];
}
