// `npm run bench [-- NAME...]`: every figure beside a named peer and its limit. `--quick` for a rough look.
import { cpus, totalmem } from 'node:os';
import * as cliStart from './cli-start.js';
import * as cliValidate from './cli-validate.js';
import * as cliPlan from './cli-plan.js';
import * as cliApply from './cli-apply.js';
import * as checkPlan from './check-plan.js';
import * as checkNdjson from './check-ndjson.js';
import * as engineConditions from './engine-conditions.js';
import * as serverThroughput from './server-throughput.js';
import * as auth from './auth.js';
import * as serverGrowth from './server-growth.js';
import * as serverInventory from './server-inventory.js';
import * as serverLists from './server-lists.js';
import * as overview from './overview.js';
import * as underAttack from './under-attack.js';
import * as wrongPasswords from './wrong-passwords.js';
import * as webhookDelivery from './webhook-delivery.js';
import * as webhookMemory from './webhook-memory.js';
import * as reportPdf from './report-pdf.js';
import * as reportTables from './report-tables.js';
import * as reportQueue from './report-queue.js';
import * as costImport from './cost-import.js';
import * as costAnalysis from './cost-analysis.js';
import * as costForecast from './cost-forecast.js';

const benches = {
  'cli-start': cliStart,
  'cli-validate': cliValidate,
  'cli-plan': cliPlan,
  'cli-apply': cliApply,
  'check-plan': checkPlan,
  'check-ndjson': checkNdjson,
  'engine-conditions': engineConditions,
  'server-throughput': serverThroughput,
  auth,
  'server-growth': serverGrowth,
  'server-inventory': serverInventory,
  'server-lists': serverLists,
  overview,
  'under-attack': underAttack,
  'wrong-passwords': wrongPasswords,
  'webhook-delivery': webhookDelivery,
  'webhook-memory': webhookMemory,
  'report-pdf': reportPdf,
  'report-tables': reportTables,
  'report-queue': reportQueue,
  'cost-import': costImport,
  'cost-analysis': costAnalysis,
  'cost-forecast': costForecast,
};
const words = process.argv.slice(2);
const quick = words.includes('--quick');
const wanted = words.filter((word) => !word.startsWith('--'));
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(
    `no such figure: ${unknown.join(', ')}; existing profiles: ${Object.keys(benches).join(', ')}`,
  );
  process.exit(3);
}

const number = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
const limitText = ({ most, least }) => (most === undefined ? `≥ ${least}` : `≤ ${most}`);
const isMet = ({ ratio, limit }) =>
  limit.most === undefined ? ratio >= limit.least : ratio <= limit.most;

console.log(
  `Node ${process.version}, ${process.platform}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB; medians; ratio is ours / peer.\n`,
);
console.log('| figure | govctl | peer | ratio | limit | | peak MiB |');
console.log('|---|---:|---:|---:|---:|---|---:|');
let missed = 0;
let port = 18_700;
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${bench.title} ...\n`);
  const rows = await bench.measure({
    runs: quick ? 3 : 9,
    rounds: quick ? 1 : 3,
    port: (port += 10),
  });
  for (const row of rows) {
    const met = isMet(row);
    if (!met) missed++;
    const peerText = `${number(row.theirs)} ${row.unit} (${row.peer})`;
    console.log(
      `| ${row.figure} | ${number(row.ours)} ${row.unit} | ${peerText} | ${number(row.ratio)} | ${limitText(row.limit)} | ${met ? 'met' : 'MISSED'}${row.note ? `; ${row.note}` : ''} | ${row.peak ? Math.round(row.peak) : ''} |`,
    );
  }
}
console.log(`\n${missed === 0 ? 'Every limit is met.' : `${missed} limits are missed.`}`);
process.exitCode = missed === 0 ? 0 : 2;
