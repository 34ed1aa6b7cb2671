// Commands of an operator change real things: a kill at any moment must leave each of them run once at most, after the
// resource was stored as it was, and what is said about it true.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Policy } from '../../src/contract/policies.ts';
import type { Action, RemediationWithActions } from '../../src/contract/remediations.ts';
import { actions, images } from '../../src/server/remediation/collection.ts';
import { fingerprintOf } from '../../src/server/remediation/fingerprint.ts';
import { collections, lanes } from '../../src/server/wiring/modules.ts';
import { openLowdbStore } from '../../src/server/store/lowdb/open.ts';
import { allRows } from '../../src/server/store/all-rows.ts';
import { isGone } from '../server/remediation/scripts.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { until } from '../support/until.ts';

/** Kills of the server; CI asks for more. */
const ROUNDS = Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 3);
/** Resources of each round: half of them are fixed by the command, half by a patch. */
const RESOURCES = 8;
/** Milliseconds until the kill, at most: some begin before the plan is stored, some end after its last action. */
const KILL_WITHIN = 700;

let folder: TempFolder;
let running: BuiltServer | undefined;
beforeEach(async () => void (folder = await tempFolder()));
afterEach(async () => {
  await running?.stop('SIGKILL');
  running = undefined;
  await folder.remove();
});

const at = (name: string): string => join(folder.path, name);

function script(name: string, text: string): string {
  writeFileSync(at(name), `#!/bin/sh\n${text}\n`);
  chmodSync(at(name), 0o700);
  return at(name);
}

/** Says which action it runs for, takes a while, and prints the resource as it is then. */
const fix = `
input=$(cat)
rem=$(printf %s "$input" | grep -o '"remediation_id":"[^"]*"' | cut -d'"' -f4)
id=$(printf %s "$input" | grep -o '"id":"exec-[^"]*"' | cut -d'"' -f4)
echo "$rem $id" >>runs
sleep 0.0$(printf %s "$id" | tail -c 1)
printf '{"id":"%s","type":"Custom::Exec","closed":true}' "$id"
`;

const configure = (command: string, others: object = {}): void =>
  writeFileSync(
    at('server.yaml'),
    JSON.stringify({
      remediation: {
        commands: { fix: { command: [command], env: ['PATH'], cwd: folder.path } },
        guards: { max_resources: 1_000, max_percent: 100 },
        ...others,
      },
    }),
  );

const start = async (): Promise<BuiltServer> =>
  (running = await startBuiltServer({
    dataDir: at('data'),
    args: ['--config', at('server.yaml'), '--log-level', 'error'],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  }));

type Json = Record<string, unknown>;

async function ask(method: string, path: string, body?: object | string): Promise<Json> {
  const server = running;
  if (!server) throw new Error('there is no server');
  const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
  const response = await fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': type },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Json;
}

async function createPolicies(fields: object = {}): Promise<Policy[]> {
  const created: Policy[] = [];
  for (const [kind, remediation_action] of [
    ['Exec', 'exec:fix'],
    ['Patch', 'patch:{"closed":true}'],
  ]) {
    const policy = await ask('POST', '/v1/policies', {
      name: `${kind} is closed`,
      resource_type: `Custom::${kind}`,
      severity: 'HIGH',
      rules: [{ condition: 'resource.closed == false', effect: 'DENY' }],
      remediation_action,
      ...fields,
    });
    created.push(policy as Policy);
  }
  return created;
}

const resourcesOf = (round: number): { id: string; type: string; closed: boolean }[] =>
  Array.from({ length: RESOURCES }, (_, n) => {
    const kind = n % 2 === 0 ? 'Exec' : 'Patch';
    return { id: `${kind.toLowerCase()}-${round}-${n}`, type: `Custom::${kind}`, closed: false };
  });

const importAll = (resources: readonly object[]): Promise<Json> =>
  ask('POST', '/v1/resources/import', resources.map((one) => JSON.stringify(one)).join('\n'));

async function all<Row>(path: string, many: string): Promise<Row[]> {
  const found: Row[] = [];
  for (;;) {
    const joint = path.includes('?') ? '&' : '?';
    const page = await ask('GET', `${path}${joint}limit=100&offset=${found.length}`);
    const rows = page[many] as Row[];
    found.push(...rows);
    if (rows.length < 100) return found;
  }
}

async function remediations(): Promise<RemediationWithActions[]> {
  const listed = await all<{ id: string }>('/v1/compliance/remediate', 'remediations');
  const read = listed.map(({ id }) => ask('GET', `/v1/compliance/remediate/${id}`));
  return (await Promise.all(read)) as unknown as RemediationWithActions[];
}

/** What is left to be attempted is attempted after the start. */
const settled = (): Promise<void> =>
  until(async () => {
    const path = '/v1/compliance/remediate?status=approved,running';
    const left = await all<RemediationWithActions>(path, 'remediations');
    return left.every(
      ({ status, counts }) =>
        status === 'running' && Number(counts.planned) + Number(counts.attempting) === 0,
    );
  });

const runs = (): string[] => {
  try {
    return readFileSync(at('runs'), 'utf8').split('\n').filter((line) => line !== ''); // prettier-ignore
  } catch {
    return [];
  }
};

interface Found {
  readonly id: string;
  readonly closed: boolean;
}
interface Violated {
  readonly resource_id: string;
  readonly status: string;
  readonly remediation_id?: string;
}

/** What the server says of each action agrees with what the command did, the inventory and the violations. */
async function checkTruth(): Promise<void> {
  const made = await remediations();
  const ran = runs();
  expect(new Set(ran).size, 'a command ran twice').toBe(ran.length);
  const resources = await all<Found>('/v1/resources', 'resources');
  const closed = new Map(resources.map((one) => [one.id, one.closed]));
  const violations = await all<Violated>('/v1/violations', 'violations');
  const statusOf = new Map(violations.map((one) => [one.resource_id, one]));
  const told = new Map<string, Action>();
  for (const { id, status, counts, actions: its } of made) {
    for (const [name, count] of Object.entries(counts)) {
      expect(its.filter((one) => one.status === name).length, `${id} ${name}`).toBe(count);
    }
    expect(status === 'running', id).toBe(Number(counts.unverified) > 0);
    for (const action of its) {
      told.set(`${id} ${action.resource_id}`, action);
      expect(action.before_image).toBe(action.attempted_at !== undefined);
      if (action.status === 'completed') {
        expect(closed.get(action.resource_id)).toBe(true);
        expect(statusOf.get(action.resource_id)).toMatchObject({
          status: 'RESOLVED',
          remediation_id: id,
        });
      } else {
        // All commands do what they should: only a kill keeps one from being seen to its end.
        expect([action.status, action.method]).toEqual(['unverified', 'exec']);
        expect(action.why).toMatch(/^the server stopped before the result was known/);
        expect(statusOf.get(action.resource_id)).toMatchObject({ status: 'OPEN' });
      }
      const didRun = ran.includes(`${id} ${action.resource_id}`);
      if (action.method === 'exec' && action.status === 'completed') expect(didRun).toBe(true);
    }
  }
  for (const line of ran) expect(told.get(line)?.attempted_at, line).toBeDefined();
  const open = violations.filter(({ status }) => status === 'OPEN').length;
  const { governance_overview: overview } = await ask('GET', '/v1/governance/overview');
  const counted = (overview as { policy_violations: Record<string, number> }).policy_violations;
  expect(Object.values(counted).reduce((sum, one) => sum + one, 0)).toBe(open);
}

/** Of each action that was attempted, the resource is stored as it was before. */
async function checkImages(): Promise<number> {
  const store = await openLowdbStore({ dir: at('data'), collections, lanes });
  try {
    let attempted = 0;
    for await (const { doc } of allRows(store, actions, {})) {
      if (doc.attempted_at === undefined) continue;
      attempted += 1;
      const image = (await store.get(images, doc.id))?.doc;
      expect(image?.resource, doc.id).toMatchObject({ id: doc.resource_id, closed: false });
    }
    return attempted;
  } finally {
    await store.close();
  }
}

test(`plans with commands and patches survive ${ROUNDS} kills: nothing runs twice, and what is said is true`, async () => {
  configure(script('fix.sh', fix));
  await start();
  await createPolicies();
  for (let round = 0; round < ROUNDS; round += 1) {
    await importAll(resourcesOf(round));
    const open = await all<{ id: string; resource_id: string }>('/v1/violations?status=OPEN', 'violations'); // prettier-ignore
    const ids = open.filter((one) => one.resource_id.split('-')[1] === String(round)).map(({ id }) => id); // prettier-ignore
    expect(ids).toHaveLength(RESOURCES);
    const asked = ask('POST', '/v1/compliance/remediate', { violation_ids: ids, dry_run: false });
    // The kill may come before its answer.
    asked.catch(() => undefined);
    await pause(Math.random() * KILL_WITHIN);
    await running?.stop('SIGKILL');
    await start();
    await settled();
    await checkTruth();
  }
  expect(runs().length).toBeGreaterThan(0);
  // What nobody knows the end of is verified as soon as the resource is seen again.
  const unknown = (await remediations()).flatMap(({ actions: its }) =>
    its.filter(({ status }) => status === 'unverified'),
  );
  for (const { resource_id: id, resource_type: type } of unknown) {
    await ask('PUT', `/v1/resources/${id}`, { id, type, closed: true });
  }
  for (const { status } of await remediations()) expect(status).toBe('completed');
  await running?.stop();
  expect(await checkImages()).toBeGreaterThan(0);
}, 1_800_000);

test(`automatic remediations survive ${ROUNDS} kills: each violation is remediated once, and none is lost`, async () => {
  const command = script('fix.sh', fix);
  configure(command);
  await start();
  const policies = await createPolicies({ auto_remediation: true });
  await running?.stop();
  const auto_commands = policies.map((policy) => `${policy.id}@${fingerprintOf(policy)}`);
  configure(command, { rate: 1_000, auto_commands });
  await start();
  const areAllPlanned = async (): Promise<boolean> => {
    const planned = new Set(
      (await remediations()).flatMap(({ actions: its }) => its.map((one) => one.violation_id)),
    );
    const violations = await all<{ id: string }>('/v1/violations', 'violations');
    return violations.every(({ id }) => planned.has(id));
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await importAll(resourcesOf(round));
    await pause(Math.random() * KILL_WITHIN);
    await running?.stop('SIGKILL');
    await start();
    await until(areAllPlanned);
    await settled();
    await checkTruth();
  }
  const made = await remediations();
  expect(made.every(({ automatic }) => automatic)).toBe(true);
  const ids = made.flatMap(({ actions: its }) => its.map((one) => one.resource_id));
  expect(ids).toHaveLength(ROUNDS * RESOURCES);
  expect(new Set(ids).size).toBe(ids.length);
  await running?.stop();
  expect(await checkImages()).toBe(ids.length);
}, 1_800_000);

test('a graceful stop ends a command that hangs with all that it has started, and does not run it again', async () => {
  const hangs = `cat >/dev/null; trap '' TERM; echo run >>runs; sleep 1000 & echo $! >child; wait; sleep 1000`;
  configure(script('hangs.sh', hangs));
  await start();
  await createPolicies();
  await importAll(resourcesOf(0));
  const filter = { severity: ['HIGH'], resource_type: ['Custom::Exec'] };
  await ask('POST', '/v1/compliance/remediate', { filter, dry_run: false });
  await until(() => runs().length > 0);
  expect(await running?.stop('SIGTERM')).toBe(0);
  expect(runs()).toEqual(['run']);
  const child = readFileSync(at('child'), 'utf8');
  await until(() => isGone(child));
  await start();
  const [first] = await remediations();
  const [cut] = first?.actions ?? [];
  expect(cut).toMatchObject({ status: 'unverified', before_image: true });
  expect(cut?.why).toBe(
    'the server stopped before the result was known; the action is not repeated',
  );
  // The next one is begun, and is another one.
  await until(() => runs().length === 2);
  expect(await running?.stop('SIGTERM')).toBe(0);
}, 120_000);
