import { expect, test } from 'vitest';
import { PolicyInput } from '../../../src/contract/policies.ts';
import { createFindCover } from '../../../src/server/exemptions/collection.ts';
import type { StoredExemption } from '../../../src/server/exemptions/collection.ts';
import { policy } from '../test-service.ts';

const now = Date.parse('2026-11-22T12:00:00Z');
const named = { policy: PolicyInput.parse(policy('p')), id: 'pol_1' };

const exemption = (id: string, resources: string[]): StoredExemption => ({
  id,
  policy: 'pol_1',
  resources,
  reason: 'why',
  owner: 'who',
  expires: '2026-12-31',
  category: 'waiver',
  status: 'active',
  created_at: '2026-11-22T00:00:00.000Z',
  updated_at: '2026-11-22T00:00:00.000Z',
  created_by: 'user_1',
});

test('very many globs on very many long IDs are compared in turns, with the same answer', async () => {
  const globs = Array.from({ length: 200 }, (_, n) => `${'ab*'.repeat(40)}${n}`);
  const known = [
    ...Array.from({ length: 50 }, (_, n) => exemption(`exm_${n}`, globs)),
    exemption('exm_last', ['*c']),
  ];
  const findCover = createFindCover(now);
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  for (let n = 0; n < 20; n += 1) {
    const found = await findCover(known, named, `${'ab'.repeat(200)}${n % 2 === 0 ? 'c' : 'd'}`);
    expect(found?.id).toBe(n % 2 === 0 ? 'exm_last' : undefined);
  }
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});
