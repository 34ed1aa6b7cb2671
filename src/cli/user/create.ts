import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Invited } from '../../contract/users.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Context } from '../context.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { confirmChange } from '../flags/approval.ts';
import { listOf } from '../flags/parse-words.ts';
import { withOurServer } from '../objects/our-server.ts';
import { showOnce } from '../objects/show-once.ts';
import { shownBy } from '../objects/shown-by.ts';
import { printableLine } from '../terminal/printable.ts';
import { userView } from './user-view.ts';

export interface CreateOptions {
  readonly args: readonly [string];
  readonly role: readonly string[];
  readonly name?: string;
}

export async function runCreate(
  context: Context,
  { args: [email], role, name }: CreateOptions,
): Promise<ExitCode> {
  const body = { email, ...defined({ name }), roles: listOf(role) };
  const { data } = await withOurServer(context, 'user management', 'Creating user', (client) =>
    client.users.create({ body }),
  );
  return showInvited(context, data, 'Created');
}

export async function runReset(
  context: Context,
  { args: [who], ...options }: { readonly args: readonly [string] } & ApprovalOptions,
): Promise<ExitCode> {
  const what = `user ${printableLine(who)}`;
  const question = `Reset the password and second factor of ${what}, and end their sessions?`;
  await confirmChange(context, { what, verb: 'reset', past: 'reset' }, question, options);
  const { data } = await withOurServer(context, 'user management', 'Resetting user', (client) =>
    client.users.reset({ params: { id: who } }),
  );
  return showInvited(context, data, 'Reset');
}

async function showInvited(
  context: Context,
  { invitation_url: link, ...user }: Invited,
  done: string,
): Promise<ExitCode> {
  const view = userView(
    user,
    await shownBy(context, user, { headline: (style) => `${style.green(done)} ${user.id}` }),
  );
  await context.show(showOnce(view, 'invitation_url', link, 'invitation'));
  const until = utcMinute(user.invitation_expires_at);
  await context.say(
    `Send the link to ${printableLine(user.email)} over a private channel: the first person to open it sets the password. ` +
      `The link works once and expires at ${until}. To create a new link, run \`govctl user reset\`.`,
  );
  if (user.roles.includes('owner')) {
    await context.say(
      'When the first owner signs in, a server that other machines can reach disables its initial API key. ' +
        'Before then, create API keys for your programs with `govctl api-key create`.',
    );
  }
  return exitCodes.ok;
}
