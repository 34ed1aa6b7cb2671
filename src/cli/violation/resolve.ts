import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes, reword } from '../../contract/errors.ts';
import type { ResolvedMany, ViolationSummary } from '../../contract/violations.ts';
import { mostResolved } from '../../contract/violations.ts';
import type { Context } from '../context.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { approvalRequired, isApproved, notApproved } from '../flags/approval.ts';
import { mayHaveBegun, withOurServer } from '../objects/our-server.ts';
import type { View } from '../terminal/output.ts';
import { count, inThrees } from '../terminal/printable.ts';
import { formatTable, tableColumns } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { asQuery, policyFilterOf, violationFilterOf } from './filter-flags.ts';
import type { ViolationFlags } from './filter-flags.ts';
import { columnsOf } from './summary.ts';
import { sayUnknownFilters } from './unknown-filters.ts';
import { violationView } from './violation-view.ts';

interface ResolveOptions extends ViolationFlags, ApprovalOptions {
  readonly args: readonly [id?: string];
  readonly reason: string;
  readonly dryRun?: boolean;
}

export async function runResolve(context: Context, options: ResolveOptions): Promise<ExitCode> {
  const [id] = options.args;
  const isFiltered =
    options.policy !== undefined || Object.keys(violationFilterOf(options)).length > 0;
  if (isFiltered === (id !== undefined)) {
    throw new GovctlError(
      'usage_error',
      isFiltered ? 'Use either a violation ID or filters' : 'No violations selected',
      { hint: 'Use a violation ID, or filters such as --policy, --owner and --age.' },
    );
  }
  if (id === undefined) return resolveMatching(context, options);
  if (options.dryRun) {
    throw new GovctlError('usage_error', '--dry-run requires filters', {
      hint: `Use \`govctl violation get ${id}\` to see the violation.`,
    });
  }
  return resolveOne(context, id, options.reason);
}

async function resolveOne(context: Context, id: string, reason: string): Promise<ExitCode> {
  const { data } = await withOurServer(context, 'violations', 'Resolving violation', (client) =>
    client.violations.resolve({ params: { id }, body: { reason } }),
  );
  await context.show(violationView(data));
  const before = data.history.at(-2);
  if (before?.status === 'RESOLVED') {
    await context.say('The violation was already resolved; the reason was added to its history.');
  }
  await context.say('The violation reopens if the next evaluation of its resource fails.');
  return exitCodes.ok;
}

/** The policies that most of the violations are of. */
const policiesShown = 10;

async function resolveMatching(context: Context, options: ResolveOptions): Promise<ExitCode> {
  const { reason, dryRun = false } = options;
  const ask = <T>(doing: string, work: (client: Client) => Promise<T>): Promise<T> =>
    withOurServer(context, 'violations', doing, work);
  const { filter, dry, summary } = await ask('Finding violations', async (client) => {
    const its = {
      ...violationFilterOf(options),
      ...(await policyFilterOf(options, context, client)),
    };
    const query = { ...asQuery(its), group_by: 'policy', limit: String(policiesShown) };
    const [counted, grouped] = await Promise.all([
      client.violations.resolveMany({ body: { filter: its, reason, dry_run: true } }),
      client.violations.summary({ query }),
    ]);
    return { filter: its, dry: counted.data, summary: grouped.data };
  });
  if (dryRun || dry.matched === 0) {
    await context.show(dryRunView(context, dry, summary));
    checkAmount(dry);
    if (dry.matched === 0) await sayUnknownFilters(context, options);
    return exitCodes.ok;
  }
  checkAmount(dry);
  await approve(context, options, { dry, summary });
  const { data } = await ask('Resolving violations', (client) =>
    client.violations.resolveMany({ body: { filter, reason, most: dry.matched } }),
  ).catch((error: unknown) => {
    if (!(error instanceof GovctlError) || !mayHaveBegun(error)) throw error;
    const next = 'Some may be resolved. To resolve the rest, run the command again.';
    throw reword(error, { hint: [error.hint, next].filter(Boolean).join(' ') });
  });
  await context.show({
    value: data,
    human: (style) => `${style.green('Resolved')} ${count(data.resolved, 'violation')}\n`,
  });
  await context.say('A violation reopens if the next evaluation of its resource fails.');
  return exitCodes.ok;
}

/** @throws GovctlError invalid_resolution where more match than the service resolves */
function checkAmount({ matched }: ResolvedMany): void {
  if (matched <= mostResolved) return;
  throw new GovctlError(
    'invalid_resolution',
    `${inThrees(matched)} violations match, more than the maximum of ${inThrees(mostResolved)}; no violations were resolved`,
    { hint: 'Add filters to resolve the violations in parts.' },
  );
}

/** @throws GovctlError approval_required */
async function approve(
  context: Context,
  options: ApprovalOptions,
  { dry, summary }: { readonly dry: ResolvedMany; readonly summary: ViolationSummary },
): Promise<void> {
  const { matched } = dry;
  if (isApproved(options)) return;
  if (!context.flags.input) {
    throw approvalRequired('Nothing was changed. Use --dry-run to see what matches.');
  }
  const { stderr, columns } = context.world.terminal;
  await stderr.write(describe(summary, context.talkStyle, context.serviceClock.now(), columns));
  const question = `Resolve ${count(matched, 'violation')}?`;
  if (!(await context.world.prompt.confirm(question, false))) throw notApproved();
}

const dryRunView = (
  { world, serviceClock }: Context,
  dry: ResolvedMany,
  summary: ViolationSummary,
): View => ({
  value: dry,
  human: (style) =>
    dry.matched === 0
      ? 'No open violations match.\n'
      : describe(summary, style, serviceClock.now(), tableColumns(world.terminal)) +
        (dry.matched > mostResolved ? '' : `Would resolve ${count(dry.matched, 'violation')}\n`),
});

/** What a filter matches, by policy. */
function describe(summary: ViolationSummary, style: Style, now: number, room: number): string {
  const { groups, groups_total: all } = summary;
  const columns = columnsOf('policy', summary.monthly_costs !== undefined, now, room);
  const more = all - groups.length;
  return `${formatTable(groups, columns, style, room)}${more > 0 ? `... and ${count(more, 'other policy', 'other policies')}\n` : ''}\n`;
}
