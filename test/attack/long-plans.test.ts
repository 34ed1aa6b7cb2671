import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Changed } from '../../src/engine/remediation/patch.ts';
import { createClashes } from '../../src/server/remediation/clashes.ts';
import { inventoryOf } from '../server/inventory-service.ts';
import type { Got, TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const type = 'Custom::Thing::Any';
const planFor = (resource: string): Promise<Got> =>
  service.send('POST', '/v1/compliance/remediate', { body: { filter: { resource_id: resource } } });

const patching = (name: string, patch: object) =>
  inventory.createPolicy(name, {
    resource_type: type,
    rules: [{ condition: `resource.cfg.wanted != "${name}"`, effect: 'DENY' }],
    remediation_action: `patch:${JSON.stringify(patch)}`,
  });

it('a plan of more than 4 MiB is refused before it is stored, however few violations it is about', async () => {
  const names = Array.from({ length: 100 }, (_, n) => `a${n}`);
  const cfg = Object.fromEntries(names.map((name) => [name, 'x'.repeat(1_000)]));
  await inventory.put('r', { type, cfg: { ...cfg, wanted: '' } });
  const patch = { cfg: Object.fromEntries(names.map((name) => [name, 'y'.repeat(140)])) };
  for (let n = 0; n < 45; n += 1) await patching(`p${n}`, patch);
  await service.evaluator.run();
  const got = await planFor('r');
  expect([got.status, got.json.error]).toEqual([409, 'remediation_guard']);
  expect(got.json.error_description).toMatch(/^The plan would exceed 4 MiB after \d\d actions$/);
  const listed = (await inventory.ok('GET', '/v1/compliance/remediate')).json;
  expect(listed.remediations).toEqual([]);
});

it('values that a plan shows in short are compared as they are', async () => {
  await inventory.put('r', { type, cfg: { wanted: '' } });
  await patching('p1', { cfg: { secret: 'one', note: 'x' } });
  await patching('p2', { cfg: { secret: 'two' } });
  await patching('p3', { cfg: { long: 'a'.repeat(2_000) } });
  await patching('p4', { cfg: { long: 'b'.repeat(2_000) } });
  await patching('p5', { cfg: { note: 'x' } });
  await service.evaluator.run();
  const { actions } = (await planFor('r')).json as { actions: { status: string; why?: string }[] };
  expect(actions.map(({ status }) => status).sort()).toEqual([
    'planned',
    'planned',
    'planned',
    'skipped',
    'skipped',
  ]);
  const whys = actions.flatMap(({ why }) => (why === undefined ? [] : [why.slice(9)]));
  expect(whys.sort()).toEqual([
    'sets cfg.long to another value',
    'sets cfg.secret to another value',
  ]);
});

it('plans of one caller are made one at a time, so that others are answered in between', async () => {
  await inventory.put('r', { type, cfg: { wanted: '' } });
  for (let n = 0; n < 10; n += 1) await patching(`p${n}`, { cfg: { [`a${n}`]: true } });
  await service.evaluator.run();
  const other = await service.keyWith('compliance:write');
  const answered: string[] = [];
  const ask = async (key: string, name: string): Promise<void> => {
    const body = { filter: { resource_id: 'r' } };
    await inventory.ok('POST', '/v1/compliance/remediate', { body, key });
    answered.push(name);
  };
  const asked = Array.from({ length: 10 }, () => ask(service.key, 'many'));
  await Promise.all([...asked, ask(other, 'other')]);
  expect(answered.indexOf('other')).toBeLessThan(3);
});

describe('changes of one resource', () => {
  const clash = (first: Changed[], second: Changed[]) => {
    const clashes = createClashes();
    clashes.add('r', 1, first);
    return clashes.find('r', second);
  };

  it.each<[string, Changed[], Changed[], string | undefined]>([
    ['to other attributes', [{ path: 'a.b', after: 1 }], [{ path: 'a.c', after: 2 }], undefined],
    ['to one value', [{ path: 'a.b', after: 1 }], [{ path: 'a.b', after: 1 }], undefined],
    ['to two values', [{ path: 'a.b', after: 1 }], [{ path: 'a.b', after: 2 }], 'a.b'],
    ['that remove and set', [{ path: 'a.b' }], [{ path: 'a.b', after: 2 }], 'a.b'],
    ['within what is set', [{ path: 'a', after: [1] }], [{ path: 'a.b', after: 1 }], 'a.b'],
    ['of what something is set in', [{ path: 'a.b.c' }], [{ path: 'a' }], 'a'],
    ['that begin alike', [{ path: 'ab', after: 1 }], [{ path: 'a', after: 2 }], undefined],
  ])('%s', (_, first, second, path) => {
    expect(clash(first, second)).toEqual(path === undefined ? undefined : { path, n: 1 });
  });

  it('are looked at once, however many there were before', () => {
    const clashes = createClashes();
    let read = 0;
    const changes = Array.from({ length: 100 }, (_, n) => ({
      get path() {
        read += 1;
        return `cfg.a${n}`;
      },
      after: 1,
    }));
    for (let n = 1; n <= 100; n += 1) clashes.add('r', n, changes);
    read = 0;
    expect(clashes.find('r', changes)).toBeUndefined();
    expect(read).toBe(100);
  });
});
