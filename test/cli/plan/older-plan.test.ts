import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import older from './older-plan.json' with { type: 'json' };
import { createRepo } from './repo.ts';

// Written by `plan --prune --out` of a build that planned policies only: no change of it says its kind.
it('applies a plan that was saved before there were other kinds than policies', async () => {
  const repo = createRepo();
  expect(JSON.stringify(older)).not.toContain('kind');
  for (const { before } of older.changes) if (before) repo.service.put(before);
  copyFileSync(
    path.join(import.meta.dirname, 'older-plan.json'),
    path.join(repo.folder, 'plan.json'),
  );
  const shown = await repo.govctl(['show', 'plan.json']);
  expect(shown.stdout).toContain('Plan: 1 to create, 1 to update, 1 to delete; 0 unchanged.');
  const applied = await repo.govctl(['apply', 'plan.json', '-y', '-o', 'json']);
  expect(applied, applied.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(applied.stdout)).toMatchObject({
    summary: { applied: 3, failed: 0 },
    digest: older.digest,
  });
  expect([...repo.service.policies.values()]).toMatchObject([
    { name: 'b', severity: 'HIGH' },
    { name: 'a', tags: expect.arrayContaining(['storage', 'govctl.owner:acme']) },
  ]);
});
