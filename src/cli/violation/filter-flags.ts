import type { Client } from '../../client/client.ts';
import { defined } from '../../contract/defined.ts';
import type { Severity } from '../../contract/policies.ts';
import { severities } from '../../contract/policies.ts';
import type { Context } from '../context.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { listOf } from '../flags/parse-words.ts';

/** The flags that select violations, wherever they are listed or something is done about them. */
export interface ViolationFlags {
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

export const withViolationFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .option(
      '--severity <severity>',
      `filter by severity: ${severities.join(', ')} (repeatable or comma-separated)`,
      collectValues,
    )
    .option(
      '--policy <policy>',
      'filter by policy ID, name or key (repeatable or comma-separated)',
      collectValues,
    )
    .option('--resource <id>', 'filter by resource ID')
    .option(
      '--type <type>',
      'filter by resource type (repeatable or comma-separated)',
      collectValues,
    )
    .option(
      '--provider <provider>',
      'filter by provider (repeatable or comma-separated)',
      collectValues,
    )
    .option('--account <id>', 'filter by account (repeatable or comma-separated)', collectValues)
    .option('--region <region>', 'filter by region (repeatable or comma-separated)', collectValues)
    .option(
      '--environment <name>',
      'filter by environment (repeatable or comma-separated)',
      collectValues,
    )
    .option(
      '--framework <label>',
      'filter by framework or control, such as SOC2:CC6.1 (repeatable or comma-separated)',
      collectValues,
    )
    .option(
      '--owner <name>',
      'filter by owner, the value of an owner tag (repeatable or comma-separated)',
      collectValues,
    )
    .option(
      '--tag <key[=value]>',
      'filter by tag (repeatable or comma-separated: all must match)',
      collectValues,
    )
    .option('--age <age>', 'filter by age, such as "<7d", 7d..30d or ">30d"')
    .option('--text <text>', 'filter by text in the resource, policy or message');

/** What the flags say, but for the policy, as the service takes it. */
export const violationFilterOf = (flags: Omit<ViolationFlags, 'policy'>) =>
  defined({
    severity: flags.severity && listOf(flags.severity).map((one) => one.toUpperCase() as Severity), // the service refuses others
    resource_id: flags.resource,
    resource_type: flags.type && listOf(flags.type),
    provider: flags.provider && listOf(flags.provider),
    account_id: flags.account && listOf(flags.account),
    region: flags.region && listOf(flags.region),
    environment: flags.environment && listOf(flags.environment),
    framework: flags.framework && listOf(flags.framework),
    owner: flags.owner && listOf(flags.owner),
    tag: flags.tag && listOf(flags.tag),
    age: flags.age,
    text: flags.text,
  });

/** The IDs of the policies that the flags name. */
export async function policyFilterOf(
  { policy }: ViolationFlags,
  context: Context,
  client: Client,
): Promise<{ readonly policy_id?: string[] }> {
  if (policy === undefined) return {};
  const [{ findIds }, { policies }] = await Promise.all([
    import('../objects/find.ts'),
    import('../policy/policies.ts'),
  ]);
  return { policy_id: await findIds(context, client, policies, listOf(policy)) };
}
