import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { collectPages, howMany, sayHowMany } from '../objects/collect-pages.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { tableColumns } from '../terminal/table.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { findObject } from '../objects/find.ts';
import { withServer } from '../objects/our-server.ts';
import { schedules } from './schedules.ts';
import { runLines } from './run-view.ts';

export interface RunsOptions extends ListFlags {
  readonly args: readonly [string];
}

/** What a schedule did: each run, and what became of sending its report. */
export async function runRuns(context: Context, options: RunsOptions): Promise<ExitCode> {
  const most = howMany(options);
  const { rows, pagination } = await withServer(
    context,
    schedules,
    'Listing runs',
    async (client) => {
      const { item: schedule } = await findObject(context, client, schedules, options.args[0]);
      return collectPages(most, 'runs', async (place) => {
        const { data, characters } = await client.schedules.runs({
          params: { id: schedule.id },
          query: { order: options.order, ...place },
        });
        return { rows: data.runs, pagination: data.pagination, characters };
      });
    },
  );
  const room = tableColumns(context.world.terminal);
  await context.show({
    value: { runs: rows, pagination },
    rows: () => rows,
    human: (style) => wrapWords(rows.map((run) => runLines(run, style)).join(''), room, 4),
  });
  await sayHowMany(context, 'runs', rows.length, pagination, false);
  return exitCodes.ok;
}
