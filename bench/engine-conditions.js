// Conditions over resources in memory, one thread: beside closures written by hand, and beside the CEL packages.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { celEnv, CelScalar, parse, plan } from '@bufbuild/cel';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Environment } from '@marcbachmann/cel-js';
import { build } from 'tsup';
import { median, root } from './harness.js';

export const title = 'conditions';

const now = Date.UTC(2026, 5, 1);
const age = 2_160 * 3_600_000;

/** Five that policies are made of, and what a careful programmer would write for each: absent attributes do not throw. */
const cases = [
  {
    name: 'equality',
    condition: 'resource.encryption.enabled == false',
    byHand: (r) => r.encryption?.enabled === false,
  },
  {
    name: 'and',
    condition: 'resource.environment == "production" && resource.public == true',
    byHand: (r) => r.environment === 'production' && r.public === true,
  },
  {
    name: 'exists',
    condition:
      'resource.ingress.exists(r, r.cidr == "0.0.0.0/0" && r.from_port <= 22 && r.to_port >= 22)',
    byHand: (r) =>
      Array.isArray(r.ingress) &&
      r.ingress.some((i) => i.cidr === '0.0.0.0/0' && i.from_port <= 22 && i.to_port >= 22),
  },
  {
    name: 'has and regex',
    condition: 'has(resource.owner) && resource.name.matches("^prod-[a-z0-9-]+$")',
    byHand: (r) =>
      r.owner !== undefined && typeof r.name === 'string' && /^prod-[a-z0-9-]+$/.test(r.name),
  },
  {
    name: 'age',
    condition: 'now - timestamp(resource.created_at) > duration("2160h")',
    byHand: (r, at) => typeof r.created_at === 'string' && at - Date.parse(r.created_at) > age,
  },
];

/** As documents bring them: parsed JSON, attributes in different order, some of them absent. */
function makeResources(count) {
  return Array.from({ length: count }, (_, n) => {
    const resource = {
      id: `r-${n}`,
      type: 'AWS::EC2::SecurityGroup',
      name: `${n % 3 ? 'prod' : 'dev'}-web-${n}${n % 7 ? '' : '_x'}`,
      environment: n % 2 ? 'production' : 'staging',
      public: n % 5 === 0,
      encryption: n % 4 ? { enabled: n % 3 === 0 } : { algorithm: 'aes', enabled: true },
      created_at: new Date(now - n * 7_200_000).toISOString(),
      ingress: Array.from({ length: n % 6 }, (_, i) => ({
        cidr: (n + i) % 9 ? `10.${n % 200}.0.0/16` : '0.0.0.0/0',
        from_port: (i * 20) % 60,
        to_port: (i * 30) % 90,
      })),
      ...(n % 2 ? { owner: `team-${n % 12}`, tags: { tier: 'a' } } : { tags: {}, region: 'eu' }),
    };
    return JSON.parse(JSON.stringify(resource));
  });
}

/** The engine as the program bundles it. */
async function buildEngine() {
  // Under the project, so that its packages are found from there.
  const outDir = path.join(root, '.govctl', `bench-engine-${process.pid}`);
  process.on('exit', () => rmSync(outDir, { recursive: true, force: true }));
  await build({
    config: false,
    silent: true,
    format: 'esm',
    target: 'node20',
    outDir,
    entry: ['compile', 'create-evaluator'].map((name) =>
      path.join(root, 'src', 'engine', 'condition', `${name}.ts`),
    ),
  });
  const load = (name) => import(pathToFileURL(path.join(outDir, `${name}.js`)).href);
  const { compileCondition } = await load('compile');
  const { createEvaluator } = await load('create-evaluator');
  return (source) => createEvaluator(compileCondition(source).condition);
}

function buildPeers() {
  const celJs = new Environment()
    .registerVariable('resource', 'map')
    .registerVariable('now', 'google.protobuf.Timestamp');
  const bufbuild = celEnv({ variables: { resource: CelScalar.DYN, now: CelScalar.DYN } });
  const date = new Date(now);
  const timestamp = timestampFromMs(now);
  return {
    '@marcbachmann/cel-js': (source) => {
      const run = celJs.parse(source);
      return (resource) => run({ resource, now: date });
    },
    '@bufbuild/cel': (source) => {
      const run = plan(bufbuild, parse(source));
      return (resource) => run({ resource, now: timestamp });
    },
  };
}

/** Nanoseconds for one resource; the count keeps the work from being left out. */
function time(contender, resources, passes) {
  let held = 0;
  const start = process.hrtime.bigint();
  for (let pass = 0; pass < passes; pass++) {
    for (const resource of resources) if (contender.holds(resource, now) === true) held++;
  }
  return { ns: Number(process.hrtime.bigint() - start) / (passes * resources.length), held };
}

/** Milliseconds of a sample: short beside the slices of a busy machine's scheduler, long beside its clock. */
const sampleTime = 1;

/**
 * Each in turn, so that a busy machine is busy for all. Nothing counts before V8 has optimised everything: it does so in
 * another thread, which has to find time. All are called at one place, which so knows none of them.
 */
async function warm(contenders, resources) {
  const passes = {};
  for (let round = 0; round < 5; round++) {
    for (const [name, contender] of Object.entries(contenders)) {
      const { ns } = time(contender, resources, 40);
      passes[name] = Math.max(1, Math.round((sampleTime * 1e6) / (ns * resources.length)));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return passes;
}

/** Nanoseconds by name, and the median of the ratios to ours of samples taken one after the other. */
function compare(contenders, passes, resources, runs) {
  const names = Object.keys(contenders);
  const answers = names.map((name) => time(contenders[name], resources, 1).held);
  if (new Set(answers).size !== 1) throw new Error(`they don't agree: ${answers.join(', ')}`);
  const samples = Array.from({ length: runs }, () =>
    Object.fromEntries(
      names.map((name) => [name, time(contenders[name], resources, passes[name]).ns]),
    ),
  );
  const of = (pick) =>
    Object.fromEntries(names.map((name) => [name, median(samples.map((one) => pick(one, name)))]));
  return { times: of((one, name) => one[name]), ratios: of((one, name) => one[name] / one.ours) };
}

const geometricMean = (values) =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

export async function measure({ runs }) {
  const ours = await buildEngine();
  const peers = buildPeers();
  const resources = makeResources(1_000);
  const given = cases.map(({ name, condition, byHand }) => {
    const made = Object.entries(peers).map(([peer, make]) => [peer, { holds: make(condition) }]);
    const contenders = { ours: ours(condition), byHand: { holds: byHand } };
    return { name, contenders: { ...contenders, ...Object.fromEntries(made) } };
  });
  // All before any is measured: what is measured first must not be called at a place that knows but a few.
  const warmed = [];
  for (const one of given) {
    warmed.push({ ...one, passes: await warm(one.contenders, resources) });
  }
  const rows = warmed.map(({ name, contenders, passes }) => ({
    name,
    ...compare(contenders, passes, resources, Math.max(runs, 5) * 20),
  }));
  const row = (figure, peer, names, limit) => {
    const best = (values) => Math.min(...names.map((name) => values[name]));
    return {
      figure,
      peer,
      ours: 1_000 / geometricMean(rows.map(({ times }) => times.ours)),
      theirs: 1_000 / geometricMean(rows.map(({ times }) => best(times))),
      unit: 'million/s',
      ratio: geometricMean(rows.map(({ ratios }) => best(ratios))),
      limit: { least: limit },
      note: rows.map(({ name, ratios }) => `${name} ${best(ratios).toFixed(2)}`).join(', '),
    };
  };
  return [
    row('five conditions', 'closures by hand', ['byHand'], 0.5),
    row('five conditions', 'the fastest CEL package of each', Object.keys(peers), 1),
  ];
}
