// What a report costs beside its rendering: being asked for, queued, begun, kept, completed and told of.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'tsup';
import { median, root, runNode, tempFolder } from './harness.js';

export const title = 'queue of reports';

/** Milliseconds a report. */
const allowed = 20;

const parts = {
  open: 'store/lowdb/open.ts',
  modules: 'wiring/modules.ts',
  runner: 'lanes/runner.ts',
  ids: 'ids.ts',
  service: 'reports/service.ts',
  'report-work': 'reports/generation/report-work.ts',
  threads: 'reports/rendering/thread/threads.ts',
  'render-worker': 'reports/rendering/thread/render-worker.ts',
  'render-html': '../report/formats/html/render-html.ts',
};

export async function measure({ runs, rounds }) {
  // Within the project, so that it finds its packages.
  const built = path.join(root, '.govctl', `bench-queue-${process.pid}`);
  const entry = Object.entries(parts).map(([name, file]) => [
    name,
    path.join(root, 'src', 'server', file),
  ]);
  await build({
    entry: Object.fromEntries(entry),
    outDir: built,
    format: 'esm',
    target: 'node20',
    splitting: true,
    silent: true,
    config: false,
  });
  const script = path.join(root, 'bench', 'make-reports.js');
  const count = rounds === 1 ? 50 : 200;
  const beside = [];
  const rendering = [];
  let peak = 0;
  try {
    for (let run = 0; run < Math.min(runs, 5); run++) {
      const made = await runNode([script, built, path.join(tempFolder(), 'data'), String(count)], {
        memory: true,
      });
      const { made: ms, rendered } = JSON.parse(made.stdout);
      beside.push(ms - rendered);
      rendering.push(rendered);
      peak = Math.max(peak, made.peak);
    }
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
  return [
    {
      figure: `a report of ${count} asked for at once, beside its rendering`,
      ours: median(beside),
      theirs: allowed,
      unit: 'ms',
      peer: 'what is allowed',
      ratio: median(beside) / allowed,
      limit: { most: 1 },
      note: `rendering alone takes ${median(rendering).toFixed(1)} ms`,
      peak,
    },
  ];
}
