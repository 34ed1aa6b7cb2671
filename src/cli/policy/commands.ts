import { Option } from 'commander';
import { policySortFields, severities } from '../../contract/policies.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { ifMatch, nounCommands } from '../objects/commands.ts';

export function registerPolicyCommands(program: GovctlCommand, act: Act): void {
  const policy = program
    .command('policy')
    .description('look at and change single policies of the service');
  const its = nounCommands(policy, act, {
    argument: '<policy>',
    which,
    noun: () => import('./policies.ts').then((m) => m.policies),
  });
  its.list('list policies', { fields: policySortFields, by: 'name', first: filterFlags });
  its.get('show one policy');
  registerWrites(policy, act);
  its.delete('remove a policy for good').addOption(ifMatch());
  its.switch('enable', true, 'switch a policy on');
  its.switch('disable', false, 'switch a policy off; it stays');
}

const filterFlags = (list: GovctlCommand): GovctlCommand =>
  list
    .option('--type <type>', 'only those for a resource type; repeatable', collectValues)
    .option(
      '--severity <severity>',
      `only ${severities.join(', ')}; repeatable, or a,b`,
      collectValues,
    )
    .option('--tag <tag>', 'only those with this tag; repeatable: all of them', collectValues)
    .addOption(new Option('--enabled', 'only enabled ones').conflicts('disabled'))
    .option('--disabled', 'only disabled ones');

const which = 'its id, its name or its key in git';

function registerWrites(policy: GovctlCommand, act: Act): void {
  const fields = policy
    .command('create')
    .description('create a policy, from a file or from flags')
    .option('-f, --file <file>', 'YAML or JSON with its fields; - reads standard input');
  fields
    .option('--name <name>')
    .option('--type <type>', 'resource type, e.g. AWS::S3::Bucket')
    .option('--description <text>')
    .addOption(new Option('--severity <severity>').choices([...severities]))
    .option('--deny <condition>', 'a rule that denies where this holds; repeatable', collectValues)
    .option('--allow <condition>', 'a rule that allows where this holds; repeatable', collectValues)
    .option('--message <text>', 'what the rules of --deny and --allow report')
    .option(
      '--framework <label>',
      'compliance framework, e.g. SOC2:CC6.1; repeatable',
      collectValues,
    )
    .option('--tag <tag>', 'repeatable', collectValues)
    .option('--disabled', 'create it disabled')
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  policy
    .command('update')
    .description('change some fields of a policy')
    .argument('<policy>', which)
    .option('-f, --file <file>', 'YAML or JSON with the fields to change; - reads standard input')
    .option(
      '--set <field=value>',
      'one field, its value as YAML; null clears it; repeatable',
      collectValues,
    )
    .addOption(ifMatch())
    .action(act(() => import('./update.ts').then((m) => m.runUpdate)));
}
