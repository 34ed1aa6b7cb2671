import type { GovctlCommand } from '../flags/govctl-command.ts';
import { Option } from 'commander';
import { policySortFields, severities } from '../../contract/policies.ts';
import type { Act } from '../act.ts';

export function registerPolicyCommands(program: GovctlCommand, act: Act): void {
  const policy = program
    .command('policy')
    .description('look at and change single policies of the service');
  registerReads(policy, act);
  registerWrites(policy, act);
}

const collect = (value: string, previous: string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
];

function registerReads(policy: GovctlCommand, act: Act): void {
  policy
    .command('list')
    .description('list policies')
    .option('--type <type>', 'only those for a resource type; repeatable', collect)
    .option('--severity <severity>', `only ${severities.join(', ')}; repeatable, or a,b`, collect)
    .option('--tag <tag>', 'only those with this tag; repeatable: all of them', collect)
    .addOption(new Option('--enabled', 'only enabled ones').conflicts('disabled'))
    .option('--disabled', 'only disabled ones')
    .option('--limit <n>', 'at most so many, over as many pages as it takes', '100')
    .option('--all', 'every one')
    .addOption(
      new Option('--sort <field>', 'order by this field')
        .choices([...policySortFields])
        .default('name'),
    )
    .addOption(new Option('--order <order>').choices(['asc', 'desc']).default('asc'))
    .action(act(() => import('./list.ts').then((m) => m.runList)));
  policy
    .command('get')
    .description('show one policy')
    .argument('<policy>', 'its id, its name or its key in git')
    .action(act(() => import('./get.ts').then((m) => m.runGet)));
}

function registerWrites(policy: GovctlCommand, act: Act): void {
  const ifMatch = new Option('--if-match <etag>', 'only if it still is as this ETag says');
  const fields = policy
    .command('create')
    .description('create a policy, from a file or from flags')
    .option('-f, --file <file>', 'YAML or JSON with its fields; - reads standard input');
  fields
    .option('--name <name>')
    .option('--type <type>', 'resource type, e.g. AWS::S3::Bucket')
    .option('--description <text>')
    .addOption(new Option('--severity <severity>').choices([...severities]))
    .option('--deny <condition>', 'a rule that denies where this holds; repeatable', collect)
    .option('--allow <condition>', 'a rule that allows where this holds; repeatable', collect)
    .option('--message <text>', 'what the rules of --deny and --allow report')
    .option('--framework <label>', 'compliance framework, e.g. SOC2:CC6.1; repeatable', collect)
    .option('--tag <tag>', 'repeatable', collect)
    .option('--disabled', 'create it disabled')
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  policy
    .command('update')
    .description('change some fields of a policy')
    .argument('<policy>', 'its id, its name or its key in git')
    .option('-f, --file <file>', 'YAML or JSON with the fields to change; - reads standard input')
    .option(
      '--set <field=value>',
      'one field, its value as YAML; null clears it; repeatable',
      collect,
    )
    .addOption(ifMatch)
    .action(act(() => import('./update.ts').then((m) => m.runUpdate)));
  policy
    .command('delete')
    .description('remove a policy for good')
    .argument('<policy>', 'its id, its name or its key in git')
    .option('-y, --yes', 'do not ask')
    .option('--auto-approve', 'the same')
    .addOption(ifMatch)
    .action(act(() => import('./delete.ts').then((m) => m.runDelete)));
  policy
    .command('enable')
    .description('switch a policy on')
    .argument('<policy>', 'its id, its name or its key in git')
    .action(act(() => import('./enable.ts').then((m) => m.runEnable)));
  policy
    .command('disable')
    .description('switch a policy off; it stays')
    .argument('<policy>', 'its id, its name or its key in git')
    .action(act(() => import('./enable.ts').then((m) => m.runDisable)));
}
