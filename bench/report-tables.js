// Reports of 100,000 findings as workbook and as CSV: beside the libraries that write such files, alone.
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { build } from 'tsup';
import { comparePairs, peer, root, runNode, tempFolder } from './harness.js';

export const title = 'reports of 100,000 rows';

const rows = 100_000;
const formats = [
  { name: 'renderExcel', file: 'excel', figure: 'workbook', peer: 'bare-write-excel-file' },
  { name: 'renderCsv', file: 'csv', figure: 'CSV', peer: 'bare-csv-stringify' },
];

export async function measure({ runs }) {
  const folder = tempFolder();
  // Within the project, so that it finds its packages.
  const built = path.join(root, '.govctl', `bench-tables-${process.pid}`);
  await build({
    entry: Object.fromEntries(
      formats.map(({ file }) => [file, path.join(root, `src/report/formats/${file}/render-${file}.ts`)]), // prettier-ignore
    ),
    outDir: built,
    format: 'esm',
    target: 'node20',
    silent: true,
    config: false,
  });
  try {
    const found = [];
    for (const { name, file, figure, peer: other } of formats) {
      const ours = path.join(folder, `ours.${file}`);
      const theirs = path.join(folder, `theirs.${file}`);
      let peak = 0;
      let peerPeak = 0;
      const script = path.join(root, 'bench', 'write-table.js');
      const times = await comparePairs(
        async () => {
          const args = [script, path.join(built, `${file}.js`), name, String(rows), ours];
          const run = await runNode(args, { memory: true });
          peak = Math.max(peak, run.peak);
          return run.ms;
        },
        async () => {
          const run = await runNode([peer(`${other}.js`), String(rows), theirs], { memory: true });
          peerPeak = Math.max(peerPeak, run.peak);
          return run.ms;
        },
        runs,
      );
      const mib = (bytes) => (bytes / 2 ** 20).toFixed(1);
      found.push({
        figure: `${figure} of ${rows.toLocaleString('en-US')} rows`,
        ours: times.ours,
        theirs: times.peer,
        unit: 'ms',
        peer: other.replace('bare-', ''),
        ratio: times.ratio,
        limit: { most: 1.5 },
        note: `${mib(statSync(ours).size)} MiB, peer ${mib(statSync(theirs).size)} MiB and ${Math.round(peerPeak)} MiB of memory`,
        peak,
      });
    }
    return found;
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}
