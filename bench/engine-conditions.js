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

/** Five that policies are made of, and what a programmer would write for each. */
const cases = [
  {
    name: 'equality',
    condition: 'resource.encryption.enabled == false',
    byHand: (r) => r.encryption.enabled === false,
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
      r.ingress.some((i) => i.cidr === '0.0.0.0/0' && i.from_port <= 22 && i.to_port >= 22),
  },
  {
    name: 'has and regex',
    condition: 'has(resource.owner) && resource.name.matches("^prod-[a-z0-9-]+$")',
    byHand: (r) => Object.hasOwn(r, 'owner') && /^prod-[a-z0-9-]+$/.test(r.name),
  },
  {
    name: 'age',
    condition: 'now - timestamp(resource.created_at) > duration("2160h")',
    byHand: (r, at) => at - Date.parse(r.created_at) > age,
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
  return (source) => createEvaluator(compileCondition(source).condition).holds;
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
function time(decide, resources, passes) {
  let held = 0;
  const start = process.hrtime.bigint();
  for (let pass = 0; pass < passes; pass++) {
    for (const resource of resources) if (decide(resource, now) === true) held++;
  }
  return { ns: Number(process.hrtime.bigint() - start) / (passes * resources.length), held };
}

/** Each of them in turn and for under a millisecond, so that a busy machine is busy for all. */
function compare(contenders, resources, runs) {
  const names = Object.keys(contenders);
  const answers = names.map((name) => time(contenders[name], resources, 300).held);
  if (new Set(answers).size !== 1) throw new Error(`they don't agree: ${answers.join(', ')}`);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const name of names) samples[name].push(time(contenders[name], resources, 5).ns);
  }
  return Object.fromEntries(names.map((name) => [name, median(samples[name])]));
}

const geometricMean = (values) =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

export async function measure({ runs }) {
  const ours = await buildEngine();
  const peers = buildPeers();
  const resources = makeResources(1_000);
  const rows = cases.map(({ name, condition, byHand }) => {
    const made = Object.entries(peers).map(([peer, make]) => [peer, make(condition)]);
    const contenders = { ours: ours(condition), byHand, ...Object.fromEntries(made) };
    return { name, times: compare(contenders, resources, runs * 30) };
  });
  const row = (figure, peer, theirs, limit) => ({
    figure,
    peer,
    ours: 1_000 / geometricMean(rows.map(({ times }) => times.ours)),
    theirs: 1_000 / geometricMean(rows.map(({ times }) => theirs(times))),
    unit: 'million/s',
    ratio: geometricMean(rows.map(({ times }) => theirs(times) / times.ours)),
    limit: { least: limit },
    note: rows
      .map(({ name, times }) => `${name} ${(theirs(times) / times.ours).toFixed(2)}`)
      .join(', '),
  });
  const fastest = (times) => Math.min(...Object.keys(peers).map((peer) => times[peer]));
  return [
    row('five conditions', 'closures by hand', ({ byHand }) => byHand, 0.5),
    row('five conditions', 'the fastest CEL package of each', fastest, 1),
  ];
}
