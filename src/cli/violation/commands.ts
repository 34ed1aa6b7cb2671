import { severities } from '../../contract/policies.ts';
import type { Violation } from '../../contract/violations.ts';
import { violationSortFields, violationStatuses } from '../../contract/violations.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { paintSeverity } from '../terminal/severity.ts';
import { violationView } from './violation-view.ts';

interface ListOptions {
  readonly status?: readonly string[];
  readonly severity?: readonly string[];
  readonly policy?: readonly string[];
  readonly resource?: string;
  readonly type?: readonly string[];
  readonly provider?: readonly string[];
  readonly account?: readonly string[];
  readonly region?: readonly string[];
  readonly environment?: readonly string[];
  readonly framework?: readonly string[];
  readonly owner?: readonly string[];
  readonly tag?: readonly string[];
  readonly age?: string;
  readonly text?: string;
}

const violations: OwnNoun<Violation, ListOptions> = {
  one: 'violation',
  many: 'violations',
  feature: 'violations',
  api: (client) => client.violations,
  list: {
    filter: ({ status = ['OPEN'], severity, resource, type, ...where }) => ({
      status: status.join(',').toUpperCase(),
      severity: severity?.join(',').toUpperCase(),
      resource_id: resource,
      resource_type: type?.join(','),
      provider: where.provider?.join(','),
      account_id: where.account?.join(','),
      region: where.region?.join(','),
      environment: where.environment?.join(','),
      framework: where.framework?.join(','),
      owner: where.owner?.join(','),
      tag: where.tag?.join(','),
      age: where.age,
      text: where.text,
    }),
    furtherFilter: async ({ policy }, context, client) => {
      if (policy === undefined) return {};
      const [{ findIds }, { policies }] = await Promise.all([
        import('../objects/find.ts'),
        import('../policy/policies.ts'),
      ]);
      return { policy_id: (await findIds(context, client, policies, policy)).join(',') };
    },
    columns: () => [
      {
        title: 'SEVERITY',
        cell: ({ severity }) => severity,
        paint: (text, { severity }, style) => paintSeverity(text, severity, style),
      },
      { title: 'RESOURCE', cell: (row) => row.resource_id, shrinks: 'middle' },
      { title: 'POLICY', cell: (row) => row.policy_name, shrinks: 'end' },
      { title: 'MESSAGE', cell: ({ message }) => message, shrinks: 'end', drops: 3 },
      { title: 'STATUS', cell: ({ status }) => status, drops: 2 },
      { title: 'ID', cell: ({ id }) => id, drops: 1 },
    ],
  },
  view: violationView,
};

export function registerViolationCommands(program: GovctlCommand, act: Act): void {
  const violation = program
    .command('violation')
    .description('what policies find wrong in the inventory of the service');
  const its = nounCommands(violation, act, { argument: '<id>', noun: violations });
  its
    .list('list violations, the gravest first', {
      fields: violationSortFields,
      by: 'severity',
      order: 'desc',
    })
    .option(
      '--status <status>',
      `only ${violationStatuses.join(', ')}; repeatable (default: OPEN)`,
      collectValues,
    )
    .option('--severity <severity>', `only ${severities.join(', ')}; repeatable`, collectValues)
    .option(
      '--policy <policy>',
      'only those of this policy, by id, name or key; repeatable',
      collectValues,
    )
    .option('--resource <id>', 'only those of this resource')
    .option('--type <type>', 'only those of this resource type; repeatable', collectValues)
    .option('--provider <provider>', 'repeatable', collectValues)
    .option('--account <id>', 'repeatable', collectValues)
    .option('--region <region>', 'repeatable', collectValues)
    .option('--environment <name>', 'repeatable', collectValues)
    .option(
      '--framework <framework[:control]>',
      'filter by framework or control (repeatable)',
      collectValues,
    )
    .option(
      '--owner <name>',
      'filter by owner, the value of an owner tag (repeatable)',
      collectValues,
    )
    .option('--tag <key[=value]>', 'filter by tag (repeatable: all must match)', collectValues)
    .option('--age <age>', 'filter by age, such as "<7d", 7d..30d or ">30d"')
    .option('--text <text>', 'filter by text in the resource, policy or message');
  its.get('show one violation with its history');
  violation
    .command('resolve')
    .description('resolve a violation by hand; it opens again when its resource is found failing')
    .argument('<id>')
    .requiredOption('--reason <text>', 'why')
    .action(act(() => import('./resolve.ts').then((m) => m.runResolve)));
}
