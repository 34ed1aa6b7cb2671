// The built server (bin/govctl.js) that does everything at once for a long time must not grow. `npm run soak -- --minutes 30` tries that; `npm test`
// tries only that it can be tried.
import { expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import { isWatched, say } from '../support/progress.ts';
import { grown, mostGrowth, plateausOf } from './plateaus.ts';
import type { Plateau } from './plateaus.ts';
import { collected, soak } from './soak.ts';

const MINUTES = process.env['GOVCTL_SOAK_MINUTES'];

const rowOf = ({ name, windows, growth }: Plateau): string =>
  [name.padEnd(24), ...[...windows, growth].map((one) => one.toFixed(1).padStart(12))].join('');

test(`a server that works for ${MINUTES ?? 'a few seconds, not'} minutes stays as large as it is`, async () => {
  const folder = await tempFolder();
  try {
    const told = isWatched ? say : () => undefined;
    const { samples, rows, writes } = await soak(folder.path, Number(MINUTES ?? 0.15), told);
    const plateaus = plateausOf(samples, collected);
    expect(plateaus.length).toBeGreaterThan(4);
    expect(writes).toBeGreaterThan(0);
    if (MINUTES === undefined) return;
    const large = grown(plateaus);
    say(['', 'window 1', 'window 2', 'window 3', 'growth, %'].map((head, at) => (at === 0 ? head.padEnd(24) : head.padStart(12))).join('')); // prettier-ignore
    for (const one of plateaus) say(rowOf(one));
    const collections = grown(plateausOf(rows, new Set()));
    if (collections.length > 0) say('collections that grew:');
    for (const one of collections) say(rowOf(one));
    say(`${MINUTES} minutes, ${writes} writes, ${samples.length} samples: ${large.length} of ${plateaus.length} grew by more than ${mostGrowth} %${large.map(({ name, growth }) => `, ${name} ${growth.toFixed(1)} %`).join('')}`); // prettier-ignore
    expect(large.map(({ name }) => name)).toEqual([]);
  } finally {
    await folder.remove();
  }
}, 86_400_000);
