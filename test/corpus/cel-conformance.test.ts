import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { folder, readCases } from './cel-cases.ts';
import { backEnds, score } from './cel-score.ts';
import type { Score } from './cel-score.ts';

/** Of the half of the suite that is public; it only grows. */
const recorded = 836;

describe.skipIf(!existsSync(folder))('the CEL conformance cases', () => {
  it.each(backEnds)('pass as often as they did: %s', (backEnd, run) => {
    const scores = readCases().map((file) => score(file, run));
    const sum = (pick: (one: Score) => number) => scores.reduce((all, one) => all + pick(one), 0);
    const lines = scores.map(
      ({ name, passed, total, excluded }) =>
        `${name}: ${passed}/${total}${excluded > 0 ? `, ${excluded} need protobuf messages` : ''}`,
    );
    const failures = scores.flatMap(({ failures: all }) => all);
    const passed = sum((one) => one.passed);
    const title = `CEL conformance, ${backEnd}: ${passed}/${sum(({ total }) => total)}`;
    console.log([title, ...lines, ...failures].join('\n'));
    expect(passed).toBeGreaterThanOrEqual(recorded);
  });
});

if (!existsSync(folder)) console.log('skipped: the CEL conformance cases are not here');
