// `node make-reports.js BUILT FOLDER COUNT`: makes COUNT reports of a fixed small model, asked for at once, on a store of
// its own; then renders the same as often and keeps nothing. Prints the milliseconds of both for each report.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [built, folder, counted] = process.argv.slice(2);
const count = Number(counted);
const load = (name) => import(pathToFileURL(path.join(built, `${name}.js`)).href);

const { openLowdbStore } = await load('open');
const { collections, lanes } = await load('modules');
const { createLaneRunner } = await load('runner');
const { createIds } = await load('ids');
const { createReport } = await load('service');
const { createReportWork } = await load('report-work');
const { createRenderer } = await load('threads');
const { renderHtml } = await load('render-html');

const rows = Array.from({ length: 200 }, (_, n) => [`bucket-${n}`, 'HIGH', 'open']);
const modelOf = ({ id, name, type }) => ({
  head: {
    id,
    name,
    type,
    generated_at: '2026-11-02T09:30:00.000Z',
    generated_by: 'user_1',
    about: [],
    generator: 'govctl',
    summary: {
      compliance_score: 87,
      total_violations: 200,
      critical: 0,
      high: 200,
      medium: 0,
      low: 0,
    },
    mainTable: 'findings',
  },
  sections: [
    {
      id: 'findings',
      title: 'Findings',
      blocks: [
        {
          kind: 'table',
          id: 'findings',
          title: 'Findings',
          columns: [
            { id: 'resource', title: 'Resource', type: 'text', width: 3 },
            { id: 'severity', title: 'Severity', type: 'severity', width: 1 },
            { id: 'status', title: 'Status', type: 'status', width: 1 },
          ],
          rowCount: rows.length,
          rows: async function* () {
            yield rows;
          },
          empty: 'None',
        },
      ],
    },
  ],
});

const clock = { now: Date.now, monotonic: () => performance.now() };
const random = (bytes) => randomBytes(bytes);
const ids = createIds(clock, random);
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: console.error };
const store = await openLowdbStore({ dir: folder, collections, lanes });
const deps = { store, clock, ids, random, log, secrets: {}, version: '1' };
const renderer = createRenderer({
  most: 2,
  file: pathToFileURL(path.join(built, 'render-worker.js')),
});
const work = createReportWork(deps, {
  prepare: quiet,
  compose: async (_deps, _prepare, order) => ({
    model: modelOf(order),
    policies: 1,
    resources: 200,
    close: async () => undefined,
  }),
  render: renderer.render,
  signer: quiet,
  createRunner: createLaneRunner,
  ended: async () => undefined,
});

const order = {
  name: 'bench',
  type: 'compliance',
  scope: {},
  format_options: { formats: ['html'] },
};
const actor = { userId: 'user_1', via: 'key_1', requestId: 'req_1' };
const make = async (times) => {
  const started = performance.now();
  for (let at = 0; at < times; at++)
    await store.transact((tx) => createReport(deps, tx, actor, order));
  await work.idle();
  return (performance.now() - started) / times;
};
const render = async (times) => {
  const started = performance.now();
  const { signal } = new AbortController();
  for (let at = 0; at < times; at++) {
    await renderHtml(
      modelOf({ id: 'rpt_1', ...order }),
      { format: 'html', random },
      async () => undefined,
      signal,
    );
  }
  return (performance.now() - started) / times;
};

// The first ones start the thread and load what it takes.
await make(3);
await render(3);
const result = { made: await make(count), rendered: await render(count) };
const { rows: failed } = await store.page(
  collections.find(({ name }) => name === 'reports'),
  { where: { status: { any: ['failed', 'pending'] } }, orderBy: 'id', direction: 'asc', limit: 1 },
);
if (failed.length > 0) throw new Error(`not made: ${JSON.stringify(failed[0].doc)}`);
await work.stop(1_000);
await renderer.close();
await store.close();
console.log(JSON.stringify(result));
