import type { ExitCode } from '../../contract/errors.ts';
import { ageTitle, shortTime } from '../terminal/ages.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { showList } from '../objects/list.ts';
import { findObject } from '../objects/find.ts';
import { reports } from './reports.ts';

export interface DownloadsOptions extends ListFlags {
  readonly args: readonly [string];
}

/** The access log of a report: who downloaded it, when, from where, with a token or over a link. */
export function runDownloads(context: Context, options: DownloadsOptions): Promise<ExitCode> {
  let id: string | undefined;
  return showList(context, options, {
    plural: 'downloads',
    feature: 'listing report downloads',
    isFiltered: false,
    fetchPage: async (client, place) => {
      id ??= (await findObject(context, client, reports, options.args[0])).item.id;
      const { data, characters } = await client.reports.downloads({
        params: { report_id: id },
        query: { order: options.order, ...place },
      });
      return { rows: data.downloads, pagination: data.pagination, characters };
    },
    userOf: ({ by }) => by,
    columns: ({ room, now, userName }) => [
      { title: ageTitle(room, 'TIME'), cell: ({ at }) => shortTime(now, room)(at) },
      { title: 'FORMAT', cell: ({ format }) => format },
      { title: 'BY', cell: ({ by }) => userName(by), shrinks: 'middle' },
      { title: 'VIA', cell: ({ via, link_id: link }) => (link ? `${via} ${link}` : via) },
      { title: 'FROM', cell: ({ ip }) => ip ?? '-', drops: 2 },
      { title: 'PART', cell: ({ partial }) => (partial ? 'part' : ''), drops: 1 },
    ],
  });
}
