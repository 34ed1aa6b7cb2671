// The built server (bin/govctl.js), killed again and again while clients do everything at once that it can be asked for. GOVCTL_KILLS sets
// how often; `npm run kills -- --count 2000` reports how far it is.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import { isWatched, say } from '../support/progress.ts';
import { changing, excused } from './kills/changing.ts';
import { runWorld } from './kills/world.ts';
import type { Tally } from './kills/world.ts';

const KILLS = Number(process.env['GOVCTL_KILLS'] ?? 6 * Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 1)); // prettier-ignore
/** After so many, the next server begins with an empty directory. */
const killsPerWorld = 60;
/** Another one each time; a failure names it. */
const SEED = Number(process.env['GOVCTL_CRASH_SEED'] ?? Date.now() % 1_000_000);

/** Those that clients make. */
const wanted = changing.filter((name) => excused[name] === undefined);

test(`${KILLS} kills while all kinds of writes are made: what was acknowledged is there, once, in order, and what follows from it`, async () => {
  const sum: Tally = {
    kills: 0,
    writes: 0,
    events: 0,
    deliveries: 0,
    violations: 0,
    longestStopMs: 0,
  };
  for (let world = 0; sum.kills < KILLS; world++) {
    const folder = await tempFolder();
    try {
      await writeFile(join(folder.path, 'server.yaml'), 'remediation:\n  approval: approval\n');
      const kills = Math.min(killsPerWorld, KILLS - sum.kills);
      const { tally, kinds } = await runWorld(
        folder.path,
        SEED + world * 2,
        kills,
        wanted,
        (now) => {
          if (isWatched) say(`world ${world + 1}, seed ${SEED + world * 2}: ${show(now)}`);
        },
      );
      const longest = Math.max(sum.longestStopMs, tally.longestStopMs);
      for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] += tally[name];
      sum.longestStopMs = longest;
      // A new kind of write has a client, or a reason why not.
      expect([...kinds].filter((name) => name !== 'read').sort()).toEqual([...wanted].sort());
    } finally {
      await folder.remove();
    }
  }
  if (isWatched)
    say(`seed ${SEED}: ${show(sum)}: nothing was lost, half there, twice or in another order`);
}, 86_400_000);

const show = ({ kills, writes, events, deliveries, violations, longestStopMs }: Tally): string =>
  `${kills} kills, ${writes} acknowledged writes, ${events} events, ${deliveries} deliveries, ${violations} violations, longest stop ${longestStopMs.toFixed(0)} ms`;
