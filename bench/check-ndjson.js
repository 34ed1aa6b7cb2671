import path from 'node:path';
import { comparePairs, govctl, median, peer, runNode, tempFolder, writeRepo } from './harness.js';
import { makeBucketPolicy, writeInventory } from './inventory.js';

export const title = 'govctl check, NDJSON inventories up to 1,000,000 resources';

const policies = 100;

/**
 * Wall time of the whole process: one worker against a bare loop over the same file, two against one, a million against ten
 * thousand for each resource; and the peak memory at a million.
 */
export async function measure({ runs }) {
  const folder = tempFolder();
  writeRepo(folder, policies, undefined, makeBucketPolicy);
  const files = {};
  for (const count of [10_000, 100_000, 1_000_000]) {
    files[count] = path.join(folder, `${count}.ndjson`);
    await writeInventory(files[count], count);
  }
  const check = async (count, jobs, memory = false) => {
    const result = await runNode(
      [govctl, 'check', files[count], '--jobs', String(jobs), '-o', 'json'],
      { cwd: folder, memory, expect: [0, 2] },
    );
    const { summary } = JSON.parse(result.stdout);
    if (summary.evaluated !== count * policies) throw new Error(JSON.stringify(summary));
    return { ...result, summary };
  };
  const bare = async () => {
    const result = await runNode([peer('parse-lines.js'), files[100_000], String(policies)]);
    return { ms: result.ms, ...JSON.parse(result.stdout) };
  };
  const expected = (await bare()).failed;
  const { summary } = await check(100_000, 1);
  if (summary.fail !== expected) throw new Error(`${summary.fail} fail, by hand ${expected}`);

  const few = Math.max(3, Math.ceil(runs / 3));
  const one = await comparePairs(
    async () => (await check(100_000, 1)).ms,
    async () => (await bare()).ms,
    few,
  );
  const two = await comparePairs(
    async () => (await check(100_000, 1)).ms,
    async () => (await check(100_000, 2)).ms,
    few,
  );
  const starts = [];
  for (let run = 0; run < few; run++) starts.push((await check(10_000, 1)).ms);
  const start = await startTime(folder);
  const small = (median(starts) - start) / 10_000;
  const million = await check(1_000_000, 2, true);
  const large = ((await check(1_000_000, 1)).ms - start) / 1_000_000;
  const row = (figure, peerName, values) => ({ figure, peer: peerName, unit: 'ms', ...values });
  return [
    row(
      '`govctl check`, 100,000 resources, 100 policies, 1 thread',
      'bare Node: JSON.parse + closures',
      {
        ours: one.ours,
        theirs: one.peer,
        ratio: one.ratio,
        limit: { most: 1.5 },
      },
    ),
    row('the same, 2 workers faster by', '1 thread', {
      ours: two.peer,
      theirs: two.ours,
      ratio: two.ratio,
      limit: { least: 1.6 },
    }),
    row('1,000 of 1,000,000 resources', '1,000 of 10,000', {
      ours: large * 1_000,
      theirs: small * 1_000,
      ratio: large / small,
      limit: { most: 1.2 },
    }),
    row('peak memory at 1,000,000 resources, 2 workers', 'limit', {
      unit: 'MiB',
      ours: million.peak,
      theirs: 400,
      ratio: million.peak / 400,
      limit: { most: 1 },
      peak: million.peak,
    }),
  ];
}

/** Milliseconds that a check takes whatever its input: all but the resources. */
async function startTime(folder) {
  const file = path.join(folder, 'one.ndjson');
  await writeInventory(file, 1);
  const times = [];
  for (let run = 0; run < 3; run++) {
    times.push((await runNode([govctl, 'check', file], { cwd: folder, expect: [0, 2] })).ms);
  }
  return median(times);
}
