// An import of FOCUS files, beside DuckDB reading and adding up the same files.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { importCost, writeFocusFile } from './cost-files.js';
import { median, peer, runNode, startGovctl, tempFolder } from './harness.js';

export const title = 'import of cost';

const month = '2026-09';
const rowsPerFile = 1_000_000;
const mostMemory = 250;

/** Seconds of CPU time of a process so far; counted in ticks of 10 ms. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** A whole import by a fresh server. */
async function importHere(port, files) {
  const server = await startGovctl(port);
  try {
    const before = cpuOf(server.pid);
    const { rows } = await importCost(server.url, files);
    return { cpu: cpuOf(server.pid) - before, rows, peak: await server.stop() };
  } finally {
    await server.stop().catch(() => undefined);
    rmSync(server.dataDir, { recursive: true, force: true });
  }
}

async function importThere(folder, files) {
  const database = path.join(folder, 'charges.duckdb');
  rmSync(database, { force: true });
  const { stdout } = await runNode([peer('duckdb-import.js'), database, ...files]);
  return JSON.parse(stdout);
}

export async function measure({ rounds, port }) {
  const folder = tempFolder();
  const count = rounds === 1 ? 1 : 5;
  const files = Array.from({ length: count }, (_, n) => path.join(folder, `focus-${n + 1}.csv.gz`));
  for (const [n, file] of files.entries()) {
    await writeFocusFile(file, { from: n * rowsPerFile, to: (n + 1) * rowsPerFile, month });
  }
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    pairs.push([await importHere(port, files), await importThere(folder, files)]);
  }
  const rows = count * rowsPerFile;
  const perRow = ({ cpu }) => (cpu / rows) * 1e6;
  const peak = Math.max(...pairs.map(([ours]) => ours.peak));
  const cardinality = '20 columns, 20,000 resources, 50 accounts, 200 services';
  return [
    {
      figure: `CPU of a row of ${rows.toLocaleString('en-US')} (gz; ${cardinality})`,
      ours: median(pairs.map(([ours]) => perRow(ours))),
      theirs: median(pairs.map(([, theirs]) => perRow(theirs))),
      unit: 'µs',
      peer: 'DuckDB',
      ratio: median(pairs.map(([ours, theirs]) => perRow(ours) / perRow(theirs))),
      limit: { most: 1 },
      peak,
    },
    {
      figure: 'peak memory of the server meanwhile',
      ours: peak,
      theirs: Math.max(...pairs.map(([, theirs]) => theirs.peak)),
      unit: 'MiB',
      peer: 'DuckDB',
      ratio: peak / mostMemory,
      limit: { most: 1 },
      note: `ratio to ${mostMemory} MiB`,
    },
  ];
}
