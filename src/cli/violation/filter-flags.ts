import type { Client } from '../../client/client.ts';
import { defined } from '../../contract/defined.ts';
import type { Severity } from '../../contract/policies.ts';
import { severities } from '../../contract/policies.ts';
import { lackable } from '../../contract/violations.ts';
import type { Context } from '../context.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { parseTypes } from '../flags/parse-types.ts';
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
  readonly without?: readonly string[];
  readonly age?: string;
  readonly text?: string;
}

/** The filters of whatever is about a policy and a resource. */
export const withResourceFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--severity <severity>', `severity: ${severities.join(', ')}`, collectValues)
    .option('--policy <policy>', 'policy ID, name or key', collectValues)
    .option('--type <type>', 'resource type, such as AWS::S3::Bucket', collectValues)
    .option('--environment <name>', 'environment', collectValues)
    .option('--account <id>', 'account', collectValues)
    .option('--provider <provider>', 'cloud provider', collectValues)
    .option('--region <region>', 'region', collectValues)
    .option('--resource <id>', 'resource ID (one value)');

export const filterGroup = 'Filters (values repeatable or comma-separated):';

export const withViolationFlags = (command: GovctlCommand): GovctlCommand =>
  withResourceFlags(command.optionsGroup(filterGroup))
    .optionsGroup('More filters:')
    .option('--framework <label>', 'framework or control, such as SOC2:CC6.1', collectValues)
    .option('--owner <name>', 'owner, the value of an owner tag', collectValues)
    .option('--tag <key[=value]>', 'tag; all must match', collectValues)
    .option(
      '--without <field>',
      `missing ${lackable.join(', ')} or tag:KEY; all must be missing`,
      collectValues,
    )
    .option('--age <age>', 'age, such as "<7d", 7d..30d or ">30d" (one value)')
    .option(
      '--text <text>',
      'text in the resource, its type, the policy or message, or the beginning of an ID (viol_...; one value)',
    );

/** What the flags say, but for the policy, as the service takes it. */
export const violationFilterOf = (flags: Omit<ViolationFlags, 'policy'>) =>
  defined({
    severity: flags.severity && listOf(flags.severity).map((one) => one.toUpperCase() as Severity), // the service refuses others
    resource_id: flags.resource,
    resource_type: flags.type && parseTypes(flags.type, '--provider'),
    provider: flags.provider && listOf(flags.provider),
    account_id: flags.account && listOf(flags.account),
    region: flags.region && listOf(flags.region),
    environment: flags.environment && listOf(flags.environment),
    framework: flags.framework && listOf(flags.framework),
    owner: flags.owner && listOf(flags.owner),
    tag: flags.tag && listOf(flags.tag),
    without: flags.without && listOf(flags.without),
    age: flags.age,
    text: flags.text,
  });

/** A filter of a request as a list's query has it. */
export const asQuery = (filter: object): Record<string, string> =>
  Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]));

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
