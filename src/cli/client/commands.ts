import { defined } from '../../contract/defined.ts';
import { scopes } from '../../contract/endpoint.ts';
import { clientGrants, oauthClientSortFields } from '../../contract/oauth-clients.ts';
import type { OauthClient } from '../../contract/oauth-clients.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { collectValues } from '../flags/list-flags.ts';
import { overlapHelp } from '../flags/overlap.ts';
import type { Changes } from '../objects/change.ts';
import { nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { shortTime } from '../terminal/ages.ts';
import { clientView, secretOf } from './client-view.ts';

const clients: OwnNoun<OauthClient> = {
  one: 'OAuth client',
  many: 'OAuth clients',
  listName: 'oauth_clients',
  feature: 'OAuth client management',
  api: (client) => client.oauthClients,
  list: {
    columns: ({ now, room }) => {
      const time = shortTime(now, room);
      return [
        { title: 'NAME', cell: ({ name }) => name, shrinks: 'end' },
        {
          title: 'SCOPES',
          cell: (client) => client.scopes.join(', '),
          shrinks: 'wrap',
          least: 17,
          drops: 3,
        },
        { title: 'CREATED', cell: ({ created_at: at }) => time(at), drops: 2 },
        { title: 'SECRET', cell: secretOf, drops: 1 },
        { title: 'ID', cell: ({ id }) => id },
      ];
    },
  },
  view: clientView,
};

const changes: Changes<{ readonly name?: string; readonly redirectUri?: readonly string[] }> = {
  fieldsOf: ({ name, redirectUri }) => defined({ name, redirect_uris: redirectUri }),
  hint: 'Pass --name or --redirect-uri.',
};

export function registerClientCommands(program: GovctlCommand, act: Act): void {
  const client = program
    .command('client')
    .description('manage OAuth clients: programs that use their own tokens or log in users');
  const its = nounCommands(client, act, {
    argument: '<id>',
    which: 'ID of the client',
    noun: clients,
  });
  its.list('list OAuth clients', {
    fields: oauthClientSortFields,
    by: 'created_at',
    order: 'desc',
  });
  its.get('show the details of an OAuth client');
  client
    .command('create')
    .description('create an OAuth client and show its secret once')
    .requiredOption('--name <name>', 'name of the client, such as the program that uses it')
    .addOption(
      new HintedOption(
        '--scope <scope>',
        `scope (repeatable or comma-separated): ${scopes.join(', ')}`,
      )
        .offering(scopes)
        .argParser(collectValues)
        .makeOptionMandatory(),
    )
    .option('--redirect-uri <uri>', 'redirect URI for user logins (repeatable)', collectValues)
    .addOption(
      new HintedOption(
        '--grant <type>',
        `grant type (repeatable or comma-separated): ${clientGrants.join(', ')}`,
      )
        .offering(clientGrants)
        .argParser(collectValues),
    )
    .option('--public', 'public client without a secret, for desktop programs')
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  its.update('update the name or redirect URIs of an OAuth client', changes, (update) =>
    update
      .option('--name <name>', 'new name')
      .option(
        '--redirect-uri <uri>',
        'redirect URI (repeatable); replaces all redirect URIs',
        collectValues,
      ),
  );
  client
    .command('rotate')
    .description('rotate the secret of an OAuth client and show the new secret once')
    .argument('<id>', 'ID of the client')
    .option('--overlap <duration>', `${overlapHelp} (default: 1d)`)
    .action(act(() => import('./create.ts').then((m) => m.runRotate)));
  its.delete('delete an OAuth client; its tokens fail immediately');
}
