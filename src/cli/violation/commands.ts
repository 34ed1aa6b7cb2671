import { Option } from 'commander';
import { showMoney } from '../../contract/money.ts';
import type { AnsweredViolation } from '../../contract/violations.ts';
import {
  violationGroups,
  violationSortFields,
  violationStatuses,
} from '../../contract/violations.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { approvalFlags, nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { fitsAsff, renderAsff } from '../formats/asff.ts';
import { renderOcsf } from '../formats/ocsf.ts';
import { count } from '../terminal/printable.ts';
import { paintSeverity } from '../terminal/severity.ts';
import { asQuery, policyFilterOf, violationFilterOf, withViolationFlags } from './filter-flags.ts';
import type { ViolationFlags } from './filter-flags.ts';
import { violationView } from './violation-view.ts';

interface ListOptions extends ViolationFlags {
  readonly status?: readonly string[];
}

const violations: OwnNoun<AnsweredViolation, ListOptions> = {
  one: 'violation',
  many: 'violations',
  feature: 'violations',
  api: (client) => client.violations,
  list: {
    filter: ({ status = ['OPEN'], ...flags }) => ({
      status: status.join(',').toUpperCase(),
      ...asQuery(violationFilterOf(flags)),
    }),
    furtherFilter: async (flags, context, client) =>
      asQuery(await policyFilterOf(flags, context, client)),
    formats: (rows, { version }) => ({
      ocsf: () => renderOcsf(rows, version),
      asff: () => renderAsff(rows),
    }),
    note: (rows, { flags }) => {
      const without = rows.filter((row) => !fitsAsff(row)).length;
      if (without === 0 || flags.output.every(({ format }) => format !== 'asff')) return undefined;
      return `${count(without, 'violation')} omitted from the asff output, which requires an AWS account.`;
    },
    sayIfEmpty: async (flags, context) =>
      (await import('./unknown-filters.ts')).sayUnknownFilters(context, flags),
    columns: (_, rows) => [
      {
        title: 'SEVERITY',
        cell: ({ severity }) => severity,
        paint: (text, { severity }, style) => paintSeverity(text, severity, style),
      },
      { title: 'RESOURCE', cell: (row) => row.resource_id, shrinks: 'middle', least: 9 },
      { title: 'POLICY', cell: (row) => row.policy_name, shrinks: 'wrap', drops: 3 },
      ...(rows.some(({ monthly_cost: cost }) => cost !== undefined)
        ? [{ title: 'MONTHLY COST', cell: costText, isRight: true as const, drops: 2 }]
        : []),
      { title: 'MESSAGE', cell: ({ message }) => message, shrinks: 'end', least: 30, drops: 1 },
      // Only open ones are listed unless others are asked for.
      ...(rows.every(({ status }) => status === 'OPEN')
        ? []
        : [{ title: 'STATUS', cell: ({ status }: AnsweredViolation) => status, drops: 4 }]),
      { title: 'ID', cell: ({ id }) => id },
    ],
  },
  view: violationView,
};

/** What its resource costs, where that is known and the caller may see it. */
const costText = ({
  monthly_cost: cost,
  cost_currency: currency = '',
}: AnsweredViolation): string => (cost === undefined ? '' : showMoney(cost, currency));

export function registerViolationCommands(program: GovctlCommand, act: Act): void {
  const violation = program
    .command('violation')
    .description('list, summarize and resolve violations in the inventory');
  const its = nounCommands(violation, act, { argument: '<id>', noun: violations });
  its
    .list('list violations, highest severity first', {
      fields: violationSortFields,
      by: 'severity',
      order: 'desc',
      first: (list) => withViolationFlags(withStatus(list)),
    })
    .alsoFormats(['ocsf', 'asff'])
    .addHelpText('after', listHelp);
  its.get('show a violation and its history');
  withViolationFlags(
    withStatus(
      violation
        .command('summary')
        .description('count violations by group, highest risk first')
        .option('--by <group>', `group by ${violationGroups.join(', ')} or tag:KEY`, 'policy')
        .option('--limit <n>', 'maximum number of groups, 1 to 1,000', '20'),
    ),
  ).action(act(() => import('./summary.ts').then((m) => m.runSummary)));
  const resolve = violation
    .command('resolve')
    .summary('resolve violations; they reopen if their resources fail again')
    .description(
      'Resolve one violation, or the open violations that match the filters, after a prompt. A violation reopens if the next evaluation of its resource fails.',
    )
    .argument('[id]', 'violation ID')
    .requiredOption('--reason <text>', 'reason, stored with the violation')
    .option('--dry-run', 'count the matching violations without resolving them');
  withViolationFlags(approvalFlags(resolve))
    .addHelpText('after', resolveHelp)
    .action(act(() => import('./resolve.ts').then((m) => m.runResolve)));
}

const withStatus = (command: GovctlCommand): GovctlCommand =>
  command.addOption(
    new Option(
      '--status <status>',
      `filter by status: ${violationStatuses.join(', ')} (repeatable or comma-separated)`,
    )
      .argParser(collectValues)
      .default(undefined, 'OPEN'),
  );

const resolveHelp = `
Exit codes: 0 resolved, or no violations match; 3 not approved.

Examples:
  $ govctl violation resolve viol_01m7zggyswd982qvh1d8e0jef6 --reason "deleted"
  $ govctl violation resolve --account 111122223333 --reason closed --dry-run
  $ govctl violation resolve --owner web --age '>90d' --reason accepted -y`;

const listHelp = `
-o ocsf prints OCSF 1.4 Compliance Findings. -o asff prints the AWS Security
Finding Format of Security Hub, which imports up to 100 findings at a time.

Examples:
  $ govctl violation list --severity CRITICAL,HIGH --age '>30d'
  $ govctl violation list --all -o ocsf=findings.ocsf.json
  $ govctl violation list --provider aws --limit 100 -o asff > findings.json
  $ aws securityhub batch-import-findings --findings file://findings.json`;
