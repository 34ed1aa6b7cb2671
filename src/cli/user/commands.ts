import { builtInRoles } from '../../contract/roles.ts';
import { userSortFields, userStatuses } from '../../contract/users.ts';
import type { User } from '../../contract/users.ts';
import { defined } from '../../contract/defined.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { collectValues, joined } from '../flags/list-flags.ts';
import { listOf, parseWords } from '../flags/parse-words.ts';
import type { Changes } from '../objects/change.ts';
import { approvalFlags, nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { shortTime } from '../terminal/ages.ts';
import { userView } from './user-view.ts';

interface ListOptions {
  readonly role?: readonly string[];
  readonly status?: readonly string[];
}

interface UpdateOptions {
  /** False: remove it. */
  readonly name?: string | false;
  readonly role?: readonly string[];
}

const which = 'ID or email address';

const users: OwnNoun<User, ListOptions> = {
  one: 'user',
  many: 'users',
  feature: 'user management',
  api: (client) => client.users,
  list: {
    filter: ({ role, status }) => ({
      ...joined('role', role),
      ...joined('status', status && parseWords('--status', status, userStatuses)),
    }),
    columns: ({ now, room }) => {
      const time = shortTime(now, room);
      return [
        { title: 'EMAIL', cell: ({ email }) => email, shrinks: 'end' },
        { title: 'NAME', cell: ({ name = '' }) => name, shrinks: 'end', drops: 3 },
        { title: 'ROLES', cell: ({ roles }) => roles.join(', '), shrinks: 'wrap' },
        {
          title: 'STATUS',
          cell: ({ status }) => status,
          paint: (text, { status }, style) => (status === 'active' ? text : style.dim(text)),
        },
        { title: '2FA', cell: (user) => (user.second_factor ? 'yes' : 'no'), drops: 2 },
        { title: 'LAST LOGIN', cell: (user) => time(user.last_login_at), drops: 1 },
        { title: 'ID', cell: ({ id }) => id, drops: 4 },
      ];
    },
  },
  view: userView,
};

const changes: Changes<UpdateOptions> = {
  fieldsOf: ({ name, role }) =>
    defined({ name: name === false ? null : name, roles: role && listOf(role) }),
  hint: 'Pass --name, --no-name or --role.',
};

export function registerUserCommands(program: GovctlCommand, act: Act): void {
  const user = program.command('user').description('manage users');
  const its = nounCommands(user, act, { argument: '<user>', which, noun: users });
  its
    .list('list users', { fields: userSortFields, by: 'email' })
    .addOption(roleOption('filter by role (repeatable or comma-separated)'))
    .addOption(
      new HintedOption('--status <status>', `filter by status: ${userStatuses.join(', ')}`)
        .offering(userStatuses)
        .argParser(collectValues),
    );
  its.get('show a user, their roles and their scopes');
  user
    .command('create')
    .description('create a user and show the invitation link once')
    .argument('<email>', 'email address to sign in with')
    .addOption(roleOption('role (repeatable or comma-separated)').makeOptionMandatory())
    .option('--name <name>', 'name of the person')
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  its.update('update the name or roles of a user', changes, (update) =>
    update
      .option('--name <name>', 'new name')
      .option('--no-name', 'remove the name')
      .addOption(roleOption('role (repeatable or comma-separated); replaces all roles')),
  );
  approvalFlags(
    user
      .command('disable')
      .description('disable a user; their sign-ins, sessions, keys and tokens fail immediately')
      .argument('<user>', which),
  ).action(act(() => import('./change.ts').then((m) => m.runDisable)));
  user
    .command('enable')
    .description('enable a disabled user')
    .argument('<user>', which)
    .action(act(() => import('./change.ts').then((m) => m.runEnable)));
  approvalFlags(
    user
      .command('reset')
      .description('reset the password and second factor; show a new invitation link')
      .argument('<user>', which),
  ).action(act(() => import('./create.ts').then((m) => m.runReset)));
  approvalFlags(
    user
      .command('revoke')
      .description('revoke all sessions and tokens; delete keys, clients and trust rules')
      .argument('<user>', which),
  ).action(act(() => import('./change.ts').then((m) => m.runRevoke)));
  its.delete('delete a user, their keys, clients and trust rules');
}

const roleOption = (description: string): HintedOption =>
  new HintedOption('--role <role>', description)
    .offering(Object.keys(builtInRoles))
    .argParser(collectValues);
