// The cases that two published libraries are tested with: where ours answers otherwise, it is one of the differences
// that docs/schedules.md lists.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { differences, hasCronCases, judgeAll } from './cron-cases.ts';

if (!hasCronCases) console.log('skipped: the public cron cases are not in this checkout');

describe.runIf(hasCronCases)('the cases of a published library', () => {
  test.each([
    ['robfig', 25],
    ['cronos', 250],
  ] as const)('%s: ours agrees, or differs as is documented', (name, atLeast) => {
    const verdicts = judgeAll(name);
    const unexplained = verdicts.filter(([, verdict]) => verdict === 'unexplained');
    expect(unexplained.map(([{ id, spec }]) => `${id} ${spec}`)).toEqual([]);
    const agreed = verdicts.filter(([, verdict]) => verdict === 'agrees');
    expect(agreed.length).toBeGreaterThan(atLeast);
  });
});

test('each difference is in the table of the guide', () => {
  const guide = readFileSync(path.resolve(import.meta.dirname, '../../docs/schedules.md'), 'utf8');
  for (const title of Object.values(differences)) expect(guide).toContain(`| ${title} |`);
});
