import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'tsup';
import { afterAll, expect, test } from 'vitest';

// Under the project, so that the packages are found from there.
const folder = mkdtempSync(path.join(import.meta.dirname, '..', '..', '.govctl-conditions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const given = {
  conditions: [
    'resource.port == 22 && has(resource.name)',
    'resource.list.exists(x, x > 2) && resource.list.all(x, x < 9.5)',
    'resource.name.matches("^prod-[a-z]+$")',
    'now - timestamp(resource.created_at) > duration("24h")',
    'resource.name in ["a", "b"] || resource.missing == 1',
    'resource.name > 3',
    'resource.list.all(a, resource.list.map(b, a + b).size() == 3)',
  ],
  resource: { name: 'prod-web', port: 22, list: [1, 2, 3], created_at: '2026-01-01T00:00:00Z' },
  now: Date.UTC(2026, 5, 1),
};

test(
  'conditions have the same answers where code may not be made of text',
  { timeout: 60_000 },
  async () => {
    await build({
      config: false,
      silent: true,
      format: 'esm',
      target: 'node20',
      outDir: folder,
      outExtension: () => ({ js: '.mjs' }),
      entry: [path.join(import.meta.dirname, 'conditions-process.ts')],
    });
    const run = (...flags: string[]) =>
      JSON.parse(
        execFileSync(
          process.execPath,
          [...flags, path.join(folder, 'conditions-process.mjs'), JSON.stringify(given)],
          { encoding: 'utf8' },
        ),
      ) as { mayGenerate: boolean; answers: unknown[] };
    const generated = run();
    const closures = run('--disallow-code-generation-from-strings');
    expect([generated.mayGenerate, closures.mayGenerate]).toEqual([true, false]);
    expect(closures.answers).toEqual(generated.answers);
    expect(closures.answers.slice(0, 4)).toEqual([true, true, true, true]);
    expect(closures.answers[4]).toMatchObject({ reason: 'missing_attribute' });
  },
);
