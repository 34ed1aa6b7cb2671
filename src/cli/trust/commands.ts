import { Option } from 'commander';
import { defined } from '../../contract/defined.ts';
import { ciDefaults, ciProviders, trustSortFields } from '../../contract/trusts.ts';
import type { Trust } from '../../contract/trusts.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { collectValues } from '../flags/list-flags.ts';
import { listOf, parseWords } from '../flags/parse-words.ts';
import type { Changes } from '../objects/change.ts';
import { nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { shortTime } from '../terminal/ages.ts';
import { ciScopes } from './rule-options.ts';
import type { RuleOptions } from './rule-options.ts';
import { trustView } from './trust-view.ts';

const trusts: OwnNoun<Trust> = {
  one: 'trust rule',
  many: 'trust rules',
  listName: 'trusts',
  feature: 'trust rules',
  api: (client) => client.trusts,
  list: {
    columns: ({ now, room }) => {
      const time = shortTime(now, room);
      return [
        { title: 'NAME', cell: ({ name }) => name, shrinks: 'end', drops: 5 },
        { title: 'PROVIDER', cell: ({ provider }) => provider, drops: 1 },
        { title: 'REPOSITORY', cell: ({ repository }) => repository, shrinks: 'end' },
        { title: 'REF', cell: ({ ref = '' }) => ref, shrinks: 'end', drops: 7 },
        {
          title: 'ENVIRONMENT',
          cell: ({ environment = '' }) => environment,
          shrinks: 'end',
          drops: 6,
        },
        { title: 'EVENTS', cell: ({ events }) => events.join(', '), shrinks: 'wrap', drops: 4 },
        {
          title: 'SCOPES',
          cell: ({ scopes }) => scopes.join(', '),
          shrinks: 'wrap',
          least: 17,
          drops: 3,
        },
        { title: 'LAST USED', cell: ({ last_used_at: used }) => time(used), drops: 2 },
        { title: 'ID', cell: ({ id }) => id },
      ];
    },
  },
  view: trustView,
};

interface UpdateOptions extends RuleOptions {
  readonly repository?: string;
}

const orNull = (value: string | false | undefined): string | null | undefined =>
  value === false ? null : value;

const changes: Changes<UpdateOptions> = {
  fieldsOf: ({ name, repository, repositoryId, ref, environment, event, scope, ...more }) =>
    defined({
      name,
      repository,
      repository_id: orNull(repositoryId),
      ref: orNull(ref),
      environment: orNull(environment),
      events: event && listOf(event),
      allow_pull_request_target: more.allowPullRequestTarget,
      scopes: scope && parseWords('--scope', scope, ciScopes),
    }),
  hint: 'Pass a change such as --ref, --event or --scope.',
};

export function registerTrustCommands(program: GovctlCommand, act: Act): void {
  const trust = program
    .command('trust')
    .description('manage trust rules, which let CI jobs log in without a stored secret');
  const its = nounCommands(trust, act, { argument: '<id>', which: 'trust rule ID', noun: trusts });
  its.list('list trust rules', { fields: trustSortFields, by: 'created_at', order: 'desc' });
  its.get('show a trust rule');
  ruleFlags(
    trust
      .command('create')
      .description('allow CI jobs of a repository to log in')
      .argument('<repository>', 'owner/name on GitHub, project path on GitLab')
      .addOption(
        new Option('--provider <provider>', 'CI provider')
          .choices([...ciProviders])
          .default('github'),
      )
      .option('--issuer <url>', 'issuer of the ID tokens, for a self-hosted GitLab or GitHub')
      .option('--name <name>', 'name of the rule (default: repository and ref)'),
    { more: '', isMandatory: true },
  )
    .addHelpText('after', createHelp)
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  its.update('update a trust rule and revoke its access tokens', changes, (update) =>
    ruleFlags(
      update
        .option('--name <name>', 'new name')
        .option('--repository <repository>', 'owner/name, or project path'),
      { more: '; replaces all', isMandatory: false },
    )
      .optionsGroup('Remove restrictions:')
      .option('--no-repository-id', 'match the repository only by name')
      .option('--no-ref', 'allow any ref; requires an environment')
      .option('--no-environment', 'allow jobs with any or no environment')
      .option('--no-allow-pull-request-target', 'refuse jobs that may run code from forks'),
  );
  its.delete('delete a trust rule and revoke its access tokens');
}

const ruleFlags = (
  command: GovctlCommand,
  { more, isMandatory }: { readonly more: string; readonly isMandatory: boolean },
): GovctlCommand =>
  command
    .option('--repository-id <number>', 'repository or project ID, stable across renames')
    .option('--ref <ref>', 'full ref, such as refs/heads/main; a final * is a wildcard')
    .option('--environment <name>', 'required environment of the job')
    .addOption(
      new Option(
        '--event <event>',
        `allowed events (repeatable or comma-separated)${more}`,
      ).argParser(collectValues),
    )
    .addOption(
      new HintedOption(
        '--scope <scope>',
        `scope (repeatable or comma-separated)${more}: ${ciScopes.join(', ')}`,
      )
        .offering(ciScopes)
        .argParser(collectValues)
        .makeOptionMandatory(isMandatory),
    )
    .option(
      '--allow-pull-request-target',
      'allow the events pull_request_target and merge_request_event, whose jobs may run code from forks',
    );

const createHelp = `
At least one of --ref and --environment is required. Default events:
${ciProviders.map((name) => `  ${name}  ${ciDefaults[name].events.join(', ')}`).join('\n')}

Examples:
  $ govctl trust create acme/policies --ref refs/heads/main \\
      --scope governance:read,compliance:write
  $ govctl trust create acme/policies --ref 'refs/pull/*' \\
      --event pull_request --scope governance:read
  $ govctl trust create acme/platform/policies --provider gitlab \\
      --issuer https://gitlab.example.com --environment production \\
      --scope governance:read,compliance:write`;
