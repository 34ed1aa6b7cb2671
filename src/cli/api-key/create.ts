import { defined } from '../../contract/defined.ts';
import { scopes } from '../../contract/endpoint.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { parseExpiry } from '../flags/moment.ts';
import { parseWords } from '../flags/parse-words.ts';
import { shownIn } from '../objects/noun.ts';
import { withOurServer } from '../objects/our-server.ts';
import { showOnce } from '../objects/show-once.ts';
import type { Style } from '../terminal/terminal.ts';
import { apiKeyView } from './api-key-view.ts';

export interface CreateOptions {
  readonly name: string;
  readonly scope: readonly string[];
  readonly expires?: string;
}

export async function runCreate(
  context: Context,
  { name, scope, expires = 'never' }: CreateOptions,
): Promise<ExitCode> {
  const expiresAt = parseExpiry('--expires', expires, context.world.now()) ?? undefined;
  const body = {
    name,
    scopes: parseWords('--scope', scope, scopes),
    ...defined({ expires_at: expiresAt }),
  };
  const { data } = await withOurServer(context, 'API key management', 'Creating it', (client) =>
    client.apiKeys.create({ body }),
  );
  const { key, ...shown } = data;
  const headline = (style: Style): string => `${style.green('Created')} ${data.id}`;
  await context.show(showOnce(apiKeyView(shown, shownIn(context, { headline })), 'key', key));
  await context.say('Set it as GOVCTL_TOKEN, or store it with `govctl auth login --with-token`.');
  return exitCodes.ok;
}
