import { Option } from 'commander';
import { policySortFields, severities } from '../../contract/policies.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { ifMatch, nounCommands } from '../objects/commands.ts';

export function registerPolicyCommands(program: GovctlCommand, act: Act): void {
  const policy = program.command('policy').description('manage policies in the service');
  const its = nounCommands(policy, act, {
    argument: '<policy>',
    which,
    noun: () => import('./policies.ts').then((m) => m.policies),
  });
  its.list('list policies', { fields: policySortFields, by: 'name', first: filterFlags });
  its.get('show a policy');
  registerWrites(policy, act);
  its.delete('delete a policy permanently').addOption(ifMatch());
  its.switch('enable', true, 'enable a policy');
  its.switch('disable', false, 'disable a policy without deleting it');
}

const filterFlags = (list: GovctlCommand): GovctlCommand =>
  list
    .option('--type <type>', 'filter by resource type (repeatable)', collectValues)
    .option(
      '--severity <severity>',
      `filter by severity: ${severities.join(', ')} (repeatable or comma-separated)`,
      collectValues,
    )
    .option('--tag <tag>', 'filter by tag (repeatable; all must match)', collectValues)
    .addOption(new Option('--enabled', 'only enabled policies').conflicts('disabled'))
    .option('--disabled', 'only disabled policies');

const which = 'policy ID, name or key in git';

function registerWrites(policy: GovctlCommand, act: Act): void {
  const fields = policy
    .command('create')
    .description('create a policy from a file or flags')
    .option(
      '-f, --file <file>',
      'file with the policy fields, YAML or JSON; - reads standard input',
    );
  fields
    .option('--name <name>', 'name of the policy')
    .option('--type <type>', 'resource type, such as AWS::S3::Bucket')
    .option('--description <text>', 'description of the policy')
    .addOption(
      new Option('--severity <severity>', 'severity of violations').choices([...severities]),
    )
    .option('--deny <condition>', 'condition of a DENY rule (repeatable)', collectValues)
    .option('--allow <condition>', 'condition of an ALLOW rule (repeatable)', collectValues)
    .option('--message <text>', 'message of the --deny and --allow rules')
    .option(
      '--framework <label>',
      'compliance label, such as SOC2:CC6.1 (repeatable)',
      collectValues,
    )
    .option('--tag <tag>', 'tag (repeatable)', collectValues)
    .option('--disabled', 'create the policy disabled')
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  policy
    .command('update')
    .description('update a policy')
    .argument('<policy>', which)
    .option(
      '-f, --file <file>',
      'file with the fields to update, YAML or JSON; - reads standard input',
    )
    .option(
      '--set <field=value>',
      'field to set, with a YAML value; null clears the field (repeatable)',
      collectValues,
    )
    .addOption(ifMatch())
    .action(act(() => import('./update.ts').then((m) => m.runUpdate)));
}
