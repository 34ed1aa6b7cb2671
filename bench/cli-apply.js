import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  benchKey,
  comparePairs,
  govctl,
  loginAt,
  peer,
  runNode,
  startGovctl,
  tempFolder,
  writeRepo,
} from './harness.js';

export const title = 'govctl apply of a saved plan, 1,000 creations';
const concurrency = 8;

/** The network phase alone: first POST sent to last answer read, each against a fresh server. */
export async function measure({ runs, port }) {
  const folder = tempFolder();
  const url = `http://127.0.0.1:${port}`;
  writeRepo(folder, 1_000, url);
  const env = loginAt(url);
  const planFile = path.join(folder, 'plan.json');
  const bodiesFile = path.join(folder, 'bodies.json');

  const first = await startGovctl(port);
  await runNode([govctl, 'plan', '--out', planFile], { cwd: folder, env });
  await first.stop();
  const { changes } = JSON.parse(readFileSync(planFile, 'utf8'));
  writeFileSync(bodiesFile, JSON.stringify(changes.map((change) => change.after)));

  let peak = 0;
  const onFreshServer = async (work) => {
    const server = await startGovctl(port);
    try {
      return await work();
    } finally {
      await server.stop();
    }
  };
  const ours = () =>
    onFreshServer(async () => {
      const result = await runNode([govctl, 'apply', planFile, '--auto-approve', '-o', 'json'], {
        cwd: folder,
        env,
        memory: true,
      });
      peak = Math.max(peak, result.peak);
      const { summary, network_ms } = JSON.parse(result.stdout);
      if (summary.applied !== 1_000) throw new Error(`not applied: ${JSON.stringify(summary)}`);
      return network_ms;
    });
  const theirs = () =>
    onFreshServer(async () =>
      Number(
        (await runNode([peer('post-bodies.js'), bodiesFile, url, benchKey, String(concurrency)]))
          .stdout,
      ),
    );
  const times = await comparePairs(ours, theirs, runs);
  return [
    {
      figure: '`govctl apply`, 1,000 creations, network phase',
      peer: `undici, same bodies, ${concurrency} at once`,
      ours: times.ours,
      theirs: times.peer,
      unit: 'ms',
      ratio: times.ratio,
      limit: { most: 1.5 },
      peak,
    },
  ];
}
