import type { ExitCode } from '../../../contract/errors.ts';
import { exitCodes } from '../../../contract/errors.ts';
import type { RightsizingList } from '../../../contract/rightsizing.ts';
import type { Context } from '../../context.ts';
import type { ListFlags } from '../../flags/list-flags.ts';
import { collectPages, howMany, sayHowMany } from '../../objects/collect-pages.ts';
import { withOurServer } from '../../objects/our-server.ts';
import { glyphsFor } from '../../terminal/sparkline.ts';
import { isForPeople } from '../../terminal/output.ts';
import { tableColumns } from '../../terminal/table.ts';
import { rightsizingListView } from './list-view.ts';
import { parseMemory } from './options.ts';
import type { AssumeMemory } from './options.ts';

type Filters = {
  readonly [
    Flag in 'provider' | 'account' | 'region' | 'environment' | 'risk' | 'status' | 'reason'
  ]?: readonly string[]; // prettier-ignore
};

export async function runRightsizing(
  context: Context,
  options: Filters & ListFlags & AssumeMemory,
): Promise<ExitCode> {
  const most = howMany(options);
  const asked = {
    provider: options.provider?.join(','),
    account_id: options.account?.join(','),
    region: options.region?.join(','),
    environment: options.environment?.join(','),
    risk: options.risk?.join(',').toLowerCase(),
    status: options.status?.join(',').toLowerCase(),
    reason: options.reason?.join(',').toLowerCase(),
    assume_memory: parseMemory(options)?.toString(),
    sort_by: options.sort as 'monthly_saving', // one of the contract's, as the flag takes no other
    order: options.order,
  };
  let last: RightsizingList | undefined;
  const { rows, pagination } = await withOurServer(
    context,
    'rightsizing',
    'Listing recommendations',
    (client) =>
      collectPages(most, 'recommendations', async ({ limit, ...place }) => {
        const offset = 'offset' in place ? place.offset : 0;
        const query = { ...asked, limit: String(limit), offset: String(offset) };
        const { data, characters } = await client.rightsizing.list({ query });
        last = data;
        return { rows: data.recommendations, pagination: data.pagination, characters };
      }),
  );
  if (!last) return exitCodes.ok;
  const { totals, counts, withheld } = last;
  const found = { recommendations: [...rows], pagination, totals, counts, withheld };
  const { terminal, env } = context.world;
  await context.show(rightsizingListView(found, tableColumns(terminal), glyphsFor(env)));
  // The table has its own last lines.
  if (rows.length > 0 || !isForPeople(context.flags.output)) {
    await sayHowMany(context, 'recommendations', rows.length, pagination, false);
  }
  return exitCodes.ok;
}
