import { defined } from '../../contract/defined.ts';
import { scopes } from '../../contract/endpoint.ts';
import { roleSortFields } from '../../contract/roles.ts';
import type { Role } from '../../contract/roles.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { collectValues } from '../flags/list-flags.ts';
import { parseWords } from '../flags/parse-words.ts';
import type { Changes } from '../objects/change.ts';
import { nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { roleView } from './role-view.ts';

const roles: OwnNoun<Role> = {
  one: 'role',
  many: 'roles',
  feature: 'role management',
  api: (client) => client.roles,
  list: {
    columns: () => [
      { title: 'NAME', cell: ({ name }) => name },
      { title: 'SCOPES', cell: (role) => role.scopes.join(', '), shrinks: 'wrap', least: 17 },
      { title: 'BUILT IN', cell: (role) => (role.built_in ? 'yes' : 'no'), drops: 1 },
      { title: 'ABOUT', cell: ({ description = '' }) => description, shrinks: 'wrap', drops: 2 },
    ],
  },
  view: roleView,
};

interface UpdateOptions {
  /** False: remove it. */
  readonly description?: string | false;
  readonly scope?: readonly string[];
}

const changes: Changes<UpdateOptions> = {
  fieldsOf: ({ description, scope }) =>
    defined({
      description: description === false ? null : description,
      scopes: scope && parseWords('--scope', scope, scopes),
    }),
  hint: 'Pass --scope, --description or --no-description.',
};

export function registerRoleCommands(program: GovctlCommand, act: Act): void {
  const role = program.command('role').description('manage roles (named sets of scopes) for users');
  const its = nounCommands(role, act, { argument: '<role>', which: 'name', noun: roles });
  its.list('list roles, including built-in roles', { fields: roleSortFields, by: 'name' });
  its.get('show a role and its scopes');
  role
    .command('create')
    .description('create a role from scopes that you have')
    .argument('<name>', 'lowercase letters, digits and hyphens, such as report-maker')
    .addOption(scopeOption('').makeOptionMandatory())
    .option('--description <text>', 'description of the role')
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  its.update('update a role; its users gain or lose scopes immediately', changes, (update) =>
    update
      .addOption(scopeOption('; replaces all scopes'))
      .option('--description <text>', 'description of the role')
      .option('--no-description', 'remove the description'),
  );
  its.delete('delete an unused role');
}

const scopeOption = (more: string): HintedOption =>
  new HintedOption(
    '--scope <scope>',
    `scope (repeatable or comma-separated)${more}: ${scopes.join(', ')}`,
  )
    .offering(scopes)
    .argParser(collectValues);
