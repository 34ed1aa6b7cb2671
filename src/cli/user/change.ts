import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { User } from '../../contract/users.ts';
import type { Context } from '../context.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { confirmChange } from '../flags/approval.ts';
import { withOurServer } from '../objects/our-server.ts';
import { shownBy } from '../objects/shown-by.ts';
import { count, printableLine } from '../terminal/printable.ts';
import { userView } from './user-view.ts';

interface OneUser {
  readonly args: readonly [string];
}

export async function runDisable(
  context: Context,
  { args: [who], ...options }: OneUser & ApprovalOptions,
): Promise<ExitCode> {
  const what = `user ${printableLine(who)}`;
  const question = `Disable ${what}? Their sessions, keys and tokens stop working immediately.`;
  await confirmChange(context, { what, verb: 'disable', past: 'disabled' }, question, options);
  const user = await setDisabled(context, who, true);
  const exitCode = await showChanged(context, user, 'Disabled');
  const named = printableLine(user.email);
  await context.say(
    `All sessions and logins of ${named} have ended. Their API keys, OAuth clients and trust rules work again after \`govctl user enable ${named}\`; to delete them, run \`govctl user revoke ${named}\`.`,
  );
  return exitCode;
}

export const runEnable = async (context: Context, { args: [who] }: OneUser): Promise<ExitCode> =>
  showChanged(context, await setDisabled(context, who, false), 'Enabled');

async function setDisabled(context: Context, who: string, disabled: boolean): Promise<User> {
  const input = { params: { id: who }, body: { disabled } };
  const { data } = await withOurServer(context, 'user management', 'Updating user', (client) =>
    client.users.update(input),
  );
  return data;
}

async function showChanged(context: Context, user: User, done: string): Promise<ExitCode> {
  const shown = await shownBy(context, user, {
    headline: (style) => `${style.green(done)} ${user.id}`,
  });
  await context.show(userView(user, shown));
  return exitCodes.ok;
}

export async function runRevoke(
  context: Context,
  { args: [who], ...options }: OneUser & ApprovalOptions,
): Promise<ExitCode> {
  const named = printableLine(who);
  const what = `access of user ${named}`;
  const question = `End all sessions and tokens of user ${named}, and delete their API keys, OAuth clients and trust rules?`;
  await confirmChange(context, { what, verb: 'revoke', past: 'revoked' }, question, options);
  const { data } = await withOurServer(context, 'user management', 'Revoking access', (client) =>
    client.users.revoke({ params: { id: who } }),
  );
  const counts = Object.entries(data.revoked).flatMap(([name, number]) =>
    number > 0 ? [describeRevoked(name, number)] : [],
  );
  const ended = printableLine(counts.join(', ')) || 'no sessions, tokens or keys';
  await context.show({
    value: data,
    human: (style) => `${style.green('Revoked')} for ${named}: ${ended}\n`,
  });
  await context.say(
    `${named} can still sign in. To prevent that, run \`govctl user disable ${named}\`; for a lost password, \`govctl user reset ${named}\`.`,
  );
  return exitCodes.ok;
}

/** `api_keys`: `1 API key`. */
function describeRevoked(name: string, number: number): string {
  // A login has several of these, which nobody counts.
  if (name === 'oauth_states') return 'command-line logins';
  const words = name
    .replaceAll('_', ' ')
    .replace(/^api/, 'API')
    .replace(/^oauth/, 'OAuth')
    .replace(/^trusts$/, 'trust rules')
    .replace(/s$/, '');
  return count(number, words);
}
