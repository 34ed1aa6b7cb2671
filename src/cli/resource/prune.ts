import type { Client } from '../../client/client.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError, reword } from '../../contract/errors.ts';
import { capturedAt, typeKey } from '../../contract/resources.ts';
import type { Deleted } from '../../inventory/model.ts';
import type { DeleteLimit } from '../../project/plan/guards.ts';
import { overLimit } from '../../project/plan/guards.ts';
import type { Context } from '../context.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { approvalRequired, isApproved, notApproved } from '../flags/approval.ts';
import { collectPages } from '../objects/collect-pages.ts';
import { mayHaveBegun, withOurServer } from '../objects/our-server.ts';
import { count, inThrees, printableLine } from '../terminal/printable.ts';
import { formatTable, tableColumns } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { isUnplaced, scopeKey } from './sent-ids.ts';
import type { Placed, Sent } from './sent-ids.ts';

/** A resource of the inventory that the files do not contain. */
export interface Gone extends Placed {
  readonly id: string;
}

/** What a pruning import found. */
export interface Missing {
  readonly gone: readonly Gone[];
  /** Captured after everything that the files contain of their type, account and region: the files may just be older. */
  readonly newer: readonly Gone[];
}

export interface PruneOptions extends ApprovalOptions {
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly complete?: boolean;
  /** Percent. */
  readonly maxDelete?: number;
}

/** What keeps a pruning import from deleting. */
interface PruneLimits {
  /** Files and lines that could not be imported. */
  readonly unreadable: number;
  /** Files that are pages of longer lists: what they lack may be on other pages. */
  readonly pages: readonly string[];
  /** Files of the given folders without resources: an export that failed leaves one, too. */
  readonly skipped: readonly string[];
  readonly maxDelete: DeleteLimit;
}

/** What files say of resources that they do not contain. */
interface Told {
  readonly deleted: readonly Deleted[];
  /** IDs of those that may exist. */
  readonly untold: ReadonlySet<string>;
}

/** Requests at once. */
const atOnce = 8;
/** Rows for people. */
const mostShown = 20;

/** Before anything is sent: what can be refused without the service. @throws GovctlError usage_error, approval_required */
export function checkPruneFlags({ flags }: Context, options: PruneOptions): void {
  const { prune, dryRun, complete, maxDelete } = options;
  if (!prune && (dryRun || complete || maxDelete !== undefined)) {
    const flag = dryRun ? '--dry-run' : complete ? '--complete' : '--max-delete';
    throw new GovctlError('usage_error', `${flag} requires --prune`);
  }
  if (prune && !dryRun && !isApproved(options) && !flags.input) {
    throw approvalRequired('Nothing was changed. Use --dry-run to see what would be deleted.');
  }
}

/**
 * The resources of the inventory that files no longer contain: of the types that they contain, each in the accounts and
 * regions where they do.
 * @throws GovctlError guard_refused
 */
export async function findGone(
  context: Context,
  sent: Sent,
  { deleted, untold }: Told,
  { unreadable, pages, skipped, maxDelete }: PruneLimits,
): Promise<Missing> {
  // The service names lines that are no resources, too.
  const problems = Math.max(unreadable, sent.unread());
  if (problems > 0) {
    throw refused(
      `${count(problems, 'input')} could not be imported`,
      'Correct the files or lines that were rejected, and run the command again.',
    );
  }
  const [other] = skipped;
  if (other !== undefined) {
    throw refused(
      `no resources were read from ${other}`,
      'If the export failed, repeat it. Otherwise pass only the files with resources.',
    );
  }
  const [page] = pages;
  if (page !== undefined) {
    throw refused(
      `${page} is one page of a longer list`,
      'Pass the whole list: join its pages in one file, without the token of a next page.',
    );
  }
  const told = [...new Map(deleted.map((one) => [one.id, one])).values()].filter(({ id }) => !sent.has(id)); // prettier-ignore
  if (sent.scopes.size === 0 && told.length === 0) throw withoutScope(sent);
  const { live, gone, newer } = await withOurServer(
    context,
    'a resource inventory',
    'Listing resources',
    async (client) => {
      const there = await readDeleted(client, told);
      const isTold = new Set(there.map(({ id }) => id));
      const others = (await listScopes(client, sent)).filter(({ id }) => !isTold.has(id));
      const missing = others.filter(({ id }) => !sent.has(id) && !untold.has(id));
      const rows = (is: boolean): Gone[] =>
        missing.flatMap((one) => (isNewer(one, sent) === is ? [rowOf(one)] : []));
      return {
        live: others.length + there.length,
        gone: [...rows(false), ...there],
        newer: rows(true),
      };
    },
  );
  const percent = overLimit(gone.length, live, maxDelete);
  if (percent !== undefined) {
    const { stderr, columns } = context.world.terminal;
    await stderr.write(describeGone(gone, context.talkStyle, columns));
    throw new GovctlError(
      'guard_refused',
      `${inThrees(gone.length)} of ${inThrees(live)} resources would be deleted (${Math.round(percent)}%); the maximum is ${maxDelete.percent}%`,
      { hint: `To delete these resources anyway, use --max-delete ${Math.ceil(percent)}.` },
    );
  }
  return { gone, newer };
}

const refused = (why: string, hint: string): GovctlError =>
  new GovctlError('guard_refused', `${why}, so nothing is pruned`, { hint });

/** Why nothing is missing in the files: they list no account and region in full. */
function withoutScope(sent: Sent): GovctlError {
  if (sent.ofParts() > 0) {
    return refused(
      'The files do not list all resources of an account and region',
      'Templates, Terraform files, changes recorded by AWS Config and single resources are only a part. If these files contain all resources of their types in their accounts and regions, use --complete.',
    );
  }
  if (sent.unplaced.size > 0) {
    return refused(
      'The account or region of the resources is not known',
      [...sent.unplaced].every((type) => type.startsWith('GCP::'))
        ? 'If the files contain only IAM policies of Google Cloud, also pass the export of the resources (`gcloud asset export --content-type=resource`).'
        : 'Pass the values that the files take them from, such as --parameters AWS::AccountId=111122223333 --parameters AWS::Region=eu-west-1.',
    );
  }
  return refused('The files contain no resources', 'Check the files.');
}

/** A resource of the inventory, and when it was captured, in milliseconds since 1970. */
interface Live extends Gone {
  readonly captured: number | undefined;
}

/** Whether it was captured after everything in the files that is of its type, account and region. */
const isNewer = (live: Live, sent: Sent): boolean =>
  (live.captured ?? -Infinity) > (sent.newestOf(live) ?? Infinity);

/** Those of the resources that the files say were deleted that are there, unless they were created again since. */
async function readDeleted(client: Client, deleted: readonly Deleted[]): Promise<readonly Gone[]> {
  const found: Gone[] = [];
  for (let from = 0; from < deleted.length; from += atOnce) {
    const some = deleted.slice(from, from + atOnce).map(async (one) => {
      const live = await unlessMissing(client.resources.get({ params: { id: one.id } }));
      if (!live || !isSame(live.data, one)) return [];
      if ((one.captured ?? Infinity) < (capturedAt(live.data) ?? 0)) return [];
      return [rowOf(live.data)];
    });
    found.push(...(await Promise.all(some)).flat());
  }
  return found;
}

/** Whether two resources with one ID are one, as far as their places are known: an ID that is no ARN may be in many. */
const isSame = (a: Placed, b: Placed): boolean =>
  typeKey(a.type) === typeKey(b.type) &&
  (a.account_id ?? b.account_id) === (b.account_id ?? a.account_id) &&
  (a.region ?? b.region) === (b.region ?? a.region);

const rowOf = ({ id, type, account_id, region }: Gone): Gone => ({
  id,
  type,
  ...defined({ account_id, region }),
});

/** What the inventory has of the types, accounts and regions of the files. */
async function listScopes(client: Client, { scopes }: Sent): Promise<readonly Live[]> {
  const byType = new Map<string, (string | undefined)[]>();
  for (const { type, account_id: account } of scopes.values()) {
    byType.set(type, [...(byType.get(type) ?? []), account]);
  }
  const live: Live[] = [];
  for (const [type, accounts] of byType) {
    // The service filters by account where there is one; the region, and no account, are compared here.
    const isFiltered = accounts.length <= 50 && accounts.every((one) => one && !one.includes(','));
    const filter = {
      type,
      ...(isFiltered ? { account_id: [...new Set(accounts)].join(',') } : {}),
    };
    const { rows } = await collectPages(Infinity, 'resources', async (page) => {
      const query = { ...filter, sort_by: 'id', order: 'asc', ...page } as const;
      const { data, characters } = await client.resources.list({ query });
      // A page without rows would be the last, so each is a row here.
      const found = data.resources.map((one) => ({
        ...rowOf(one),
        captured: capturedAt(one),
        isInScope: !isUnplaced(one) && scopes.has(scopeKey(one)),
      }));
      return { rows: found, pagination: data.pagination, characters };
    });
    for (const row of rows) if (row.isInScope) live.push(row);
  }
  return live;
}

/** @throws GovctlError approval_required */
export async function askToPrune(
  context: Context,
  gone: readonly Gone[],
  options: ApprovalOptions,
): Promise<void> {
  if (isApproved(options)) return;
  const { stderr, columns } = context.world.terminal;
  await stderr.write(describeGone(gone, context.talkStyle, columns));
  const question = `Delete ${count(gone.length, 'resource')} that the files no longer contain?`;
  if (!(await context.world.prompt.confirm(question, false))) throw notApproved();
}

/** Deletes them, and resolves their violations. What is gone by then is as it should be. */
export async function deleteGone(context: Context, gone: readonly Gone[]): Promise<void> {
  let deleted = 0;
  await withOurServer(
    context,
    'a resource inventory',
    'Deleting resources',
    async (client, update) => {
      for (let from = 0; from < gone.length; from += atOnce) {
        update(`Deleting resources: ${inThrees(from)} of ${inThrees(gone.length)}`);
        const some = gone.slice(from, from + atOnce);
        const answers = await Promise.allSettled(some.map(({ id }) => deleteOne(client, id)));
        deleted += answers.filter(({ status }) => status === 'fulfilled').length;
        const failed = answers.find((answer) => answer.status === 'rejected');
        if (failed) throw failed.reason;
      }
    },
  ).catch((error: unknown) => {
    throw afterDeletions(error, deleted, gone.length);
  });
}

/** The error that ended a pruning, with how many were deleted before. */
function afterDeletions(error: unknown, deleted: number, all: number): unknown {
  if (!(error instanceof GovctlError)) return error;
  const message = `${error.message}; before this, ${inThrees(deleted)} of ${count(all, 'resource')} to prune were deleted`;
  const next = mayHaveBegun(error)
    ? 'More may be deleted. To prune the rest, run the command again.'
    : 'To prune the rest, run the command again.';
  return reword(error, { message, hint: [error.hint, next].filter(Boolean).join(' ') });
}

const deleteOne = (client: Client, id: string): Promise<unknown> =>
  unlessMissing(client.resources.delete({ params: { id } }));

const unlessMissing = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof GovctlError && error.error === 'resource_not_found') return undefined;
    throw error;
  });

const columns: readonly Column<Gone>[] = [
  { title: 'ID', cell: ({ id }) => id, shrinks: 'wrap', least: 30 },
  { title: 'TYPE', cell: ({ type }) => type, shrinks: 'middle' },
  { title: 'ACCOUNT', cell: (row) => row.account_id ?? '-', drops: 1 },
  { title: 'REGION', cell: (row) => row.region ?? '-', drops: 2 },
];

function describeGone(gone: readonly Gone[], style: Style, room: number): string {
  if (gone.length === 0) return '';
  const more = gone.length - mostShown;
  const table = formatTable(gone.slice(0, mostShown), columns, style, room);
  return more > 0 ? `${table}... and ${inThrees(more)} more\n` : table;
}

/** What a pruning import adds to the view of an import. */
export function describePruned(
  { world }: Context,
  { gone, newer, isDry }: Missing & { readonly isDry: boolean },
  style: Style,
): string {
  const table = isDry ? describeGone(gone, style, tableColumns(world.terminal)) : '';
  const done = isDry ? 'Would prune' : style.green('Pruned');
  const [first] = newer;
  const kept = first
    ? `${count(newer.length, 'resource')}${newer.length > 1 ? `, such as ${printableLine(first.id)},` : ` (${printableLine(first.id)})`} not pruned: captured after everything in the files of the same type, account and region\n`
    : '';
  return `${table}${done} ${count(gone.length, 'resource')}\n${kept}`;
}
