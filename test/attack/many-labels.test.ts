import { afterEach, beforeEach, expect, it } from 'vitest';
import { frameworkDefinitions } from '../../src/server/compliance/collection.ts';
import { policies } from '../../src/server/policies/collection.ts';
import { scopes, standings } from '../../src/server/posture/collection.ts';
import { titlesOf } from '../../src/engine/frameworks/titles.ts';
import { catalogues } from '../../src/engine/frameworks/frameworks.ts';
import { inventoryOf } from '../server/inventory-service.ts';
import type { TestService } from '../server/test-service.ts';
import { policy, startTestService } from '../server/test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

/** Turns of the event loop that pass until an answer is there. */
async function turnsOf(path: string): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await inventoryOf(service).ok('GET', path);
  isOver = true;
  return turns;
}

const many = 400;

it('very many policies that are mapped to every control of a framework hold up nobody when evidence is listed', async () => {
  const nist = catalogues.find(({ id }) => id === 'nist-800-53');
  if (!nist) throw new Error('the framework is not there');
  const labels = [...titlesOf(nist).keys()].map((control) => `nist-800-53:${control}`);
  const at = '2026-03-01T00:00:00.000Z';
  await service.deps.store.transact(async (tx) => {
    for (let n = 0; n < many; n += 1) {
      await tx.insert(policies, {
        ...policy(`p${n}`, { compliance_frameworks: labels }),
        rules: [{ condition: 'true', effect: 'DENY' }],
        id: `pol_${n}`,
        enabled: true,
        created_at: at,
        updated_at: at,
      });
    }
  });
  const whole = await turnsOf('/v1/compliance/evidence?framework=nist-800-53&limit=1');
  // All labels are read, then the policies of each control are sorted: 2,000 in a turn.
  expect(whole).toBeGreaterThan((2 * many * labels.length) / 2_000);
  const page = await turnsOf('/v1/compliance/evidence?framework=nist-800-53&limit=100');
  // Each item is about all policies.
  expect(page).toBeGreaterThan(whole + (99 * many) / 2_000);
});

it('very many patterns of types are compared with very many types in turns when the overview is read', async () => {
  const types = Array.from({ length: 200 }, (_, n) => [`Custom::S${n}::T`, 1]);
  await service.deps.store.transact(async (tx) => {
    for (let n = 0; n < many; n += 1) {
      const resource_type = `P${n}::*`;
      await tx.insert(standings, {
        id: `pol_${n}`,
        state: 'counted',
        severity: 'LOW',
        resource_type,
      });
    }
    const all = Object.fromEntries(types) as Record<string, number>;
    await tx.insert(scopes, { id: 'all', provider: 'custom', types: all });
  });
  expect(await turnsOf('/v1/governance/overview')).toBeGreaterThan((many * 200) / 2_400);
});

it('overviews that one caller asks for are made one at a time, so that others are answered in between', async () => {
  const other = await service.keyWith('governance:read');
  const answered: string[] = [];
  const ask = async (key: string, name: string): Promise<void> => {
    await inventoryOf(service).ok('GET', '/v1/governance/overview', { key });
    answered.push(name);
  };
  const asked = Array.from({ length: 10 }, () => ask(service.key, 'many'));
  await Promise.all([...asked, ask(other, 'other')]);
  expect(answered.indexOf('other')).toBeLessThan(3);
});

it('frameworks of very many controls are counted in turns when they are listed', async () => {
  const at = '2026-03-01T00:00:00.000Z';
  const defined = { built_in: false, created_at: at, updated_at: at, created_by: 'user_x' };
  const [frameworks, each] = [20, 5_000];
  const controls = Array.from({ length: each }, (_, n) => ({ id: `c${n}`, title: 't' }));
  await service.deps.store.transact(async (tx) => {
    for (let n = 0; n < frameworks; n += 1) {
      await tx.insert(frameworkDefinitions, { ...defined, id: `f${n}`, name: `f${n}`, controls });
    }
  });
  const turns = await turnsOf('/v1/compliance/frameworks?limit=1');
  expect(turns).toBeGreaterThan(frameworks);
});
