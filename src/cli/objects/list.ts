import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { collectPages, howMany, sayHowMany } from './collect-pages.ts';
import type { PageOf, PageQuery } from './collect-pages.ts';
import type { Context } from '../context.ts';
import type { ListFlags } from '../flags/list-flags.ts';
import { withOurServer } from './our-server.ts';
import { formatTable, tableColumns } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';

export interface ListOf<Row> {
  /** What the rows are called, in the API's list too. */
  readonly plural: string;
  /** What a server without them lacks. */
  readonly feature: string;
  readonly fetchPage: (client: Client, place: PageQuery) => Promise<PageOf<Row>>;
  readonly columns: readonly Column<Row>[];
  /** Whether flags leave some out; default: they may. */
  readonly isFiltered?: boolean;
}

/** Lists what only our server has, over as many pages as the flags ask for. */
export async function showList<Row extends { readonly id: string }>(
  context: Context,
  flags: ListFlags,
  { plural, feature, fetchPage, columns, isFiltered }: ListOf<Row>,
): Promise<ExitCode> {
  const most = howMany(flags);
  const { rows, pagination } = await withOurServer(
    context,
    feature,
    `Listing ${plural}`,
    (client) => collectPages(most, (place) => fetchPage(client, place)),
  );
  const room = tableColumns(context.world.terminal);
  await context.show({
    value: { [plural]: rows, pagination },
    rows: () => rows,
    human: (style) => (rows.length === 0 ? '' : formatTable(rows, columns, style, room)),
  });
  await sayHowMany(context, plural, rows.length, pagination, isFiltered);
  return exitCodes.ok;
}
