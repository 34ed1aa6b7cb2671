import { apiKeySortFields } from '../../contract/api-keys.ts';
import type { ApiKey } from '../../contract/api-keys.ts';
import { defined } from '../../contract/defined.ts';
import { scopes } from '../../contract/endpoint.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { collectValues } from '../flags/list-flags.ts';
import { parseExpiry } from '../flags/moment.ts';
import { overlapHelp } from '../flags/overlap.ts';
import { listOf } from '../flags/parse-words.ts';
import type { Changes } from '../objects/change.ts';
import { nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { shortTime } from '../terminal/ages.ts';
import { apiKeyView, isExpired } from './api-key-view.ts';
import { countriesOf } from './countries.ts';

interface ListOptions {
  readonly boundTo?: string;
}

const apiKeys: OwnNoun<ApiKey, ListOptions> = {
  one: 'API key',
  many: 'API keys',
  listName: 'api_keys',
  feature: 'API key management',
  api: (client) => client.apiKeys,
  list: {
    filter: ({ boundTo }) => defined({ bound_to: boundTo }),
    columns: ({ now, room }) => {
      const time = shortTime(now, room);
      return [
        { title: 'NAME', cell: ({ name }) => name, shrinks: 'end' },
        {
          title: 'SCOPES',
          cell: (key) => key.scopes.join(', '),
          shrinks: 'wrap',
          least: 17,
          drops: 3,
        },
        {
          title: 'EXPIRES',
          cell: (key) => (isExpired(key, now) ? 'expired' : time(key.expires_at)),
          paint: (text, key, style) => (isExpired(key, now) ? style.dim(text) : text),
        },
        { title: 'LAST USED', cell: ({ last_used_at: used }) => time(used), drops: 2 },
        { title: 'KEY', cell: ({ key_hint: hint }) => `…${hint}`, drops: 1 },
        { title: 'ID', cell: ({ id }) => id },
      ];
    },
  },
  view: apiKeyView,
  removal: { words: { verb: 'revoke', past: 'revoked', doing: 'Revoking' } },
};

interface UpdateOptions {
  readonly name?: string;
  readonly expires?: string;
  /** False: remove the restriction. */
  readonly ip?: readonly string[] | false;
  readonly country?: readonly string[] | false;
  readonly requireSignature: boolean;
}

const changes: Changes<UpdateOptions> = {
  fieldsOf: ({ name, expires, ip, country, requireSignature }, { world }) =>
    defined({
      name,
      expires_at:
        expires === undefined ? undefined : parseExpiry('--expires', expires, world.now()),
      ip_allow_list: ip === false ? null : ip && listOf(ip),
      countries: country === false ? null : country && countriesOf(country),
      // Commander's own default is true.
      require_signature: requireSignature ? undefined : false,
    }),
  hint: 'Pass --name, --expires, --ip, --country or --no-require-signature.',
};

const restrictionFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .option(
      '--ip <cidr>',
      'allowed addresses, such as 203.0.113.0/24 (repeatable or comma-separated)',
      collectValues,
    )
    .option(
      '--country <code>',
      'allowed countries, such as DE (repeatable or comma-separated)',
      collectValues,
    );

const expiresHelp = 'a lifetime such as 90d, a date (00:00 UTC), a time, or never';

export function registerApiKeyCommands(program: GovctlCommand, act: Act): void {
  const apiKey = program
    .command('api-key')
    .description('manage your API keys, or as an admin, those of all users');
  const its = nounCommands(apiKey, act, { argument: '<id>', which: 'API key ID', noun: apiKeys });
  its.list('list API keys', {
    fields: apiKeySortFields,
    by: 'created_at',
    order: 'desc',
    first: (list) => list.option('--bound-to <user>', 'filter by user: email address or ID'),
  });
  its.get('show the details of an API key');
  const create = apiKey
    .command('create')
    .description('create an API key and show it once')
    .requiredOption(
      '--name <name>',
      'name of the key, such as the person or program that uses the key',
    )
    .addOption(
      new HintedOption(
        '--scope <scope>',
        `scope (repeatable or comma-separated): ${scopes.join(', ')}`,
      )
        .offering(scopes)
        .argParser(collectValues)
        .makeOptionMandatory(),
    )
    .option('--expires <when>', `${expiresHelp} (default: never)`);
  restrictionFlags(create)
    .option('--require-signature', 'require signed requests, and show the signing secret once')
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  its.update('rename an API key, or change its expiry or restrictions', changes, (update) =>
    restrictionFlags(
      update.option('--name <name>', 'new name').option('--expires <when>', expiresHelp),
    )
      .option('--no-ip', 'allow any address')
      .option('--no-country', 'allow any country')
      .option(
        '--no-require-signature',
        'accept unsigned requests (to require signed requests, use `rotate`)',
      ),
  );
  apiKey
    .command('rotate')
    .description('rotate the secret of an API key and show the new secret once')
    .argument('<id>', 'API key ID')
    .option('--overlap <duration>', `${overlapHelp} (default: 1d)`)
    .option('--require-signature', 'require signed requests from now on')
    .action(act(() => import('./create.ts').then((m) => m.runRotate)));
  its.delete('revoke an API key; requests that use the key fail immediately', 'revoke');
}
