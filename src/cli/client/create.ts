import { defined } from '../../contract/defined.ts';
import { scopes } from '../../contract/endpoint.ts';
import { clientGrants } from '../../contract/oauth-clients.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { OauthClient } from '../../contract/oauth-clients.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Context } from '../context.ts';
import { parseOverlap } from '../flags/overlap.ts';
import { parseWords } from '../flags/parse-words.ts';
import { withOurServer } from '../objects/our-server.ts';
import { shownBy } from '../objects/shown-by.ts';
import { showOnce } from '../objects/show-once.ts';
import { clientView } from './client-view.ts';

const feature = 'OAuth client management';

export interface CreateOptions {
  readonly name: string;
  readonly scope: readonly string[];
  readonly redirectUri?: readonly string[];
  readonly grant?: readonly string[];
  readonly public?: boolean;
}

export async function runCreate(
  context: Context,
  { name, scope, redirectUri, grant, public: isPublic }: CreateOptions,
): Promise<ExitCode> {
  const body = {
    name,
    scopes: parseWords('--scope', scope, scopes),
    ...(redirectUri ? { redirect_uris: [...redirectUri] } : {}),
    ...(grant ? { grant_types: parseWords('--grant', grant, clientGrants) } : {}),
    ...defined({ public: isPublic }),
  };
  const { data, baseUrl } = await withOurServer(
    context,
    feature,
    'Creating OAuth client',
    async (client) => ({
      ...(await client.oauthClients.create({ body })),
      baseUrl: client.baseUrl,
    }),
  );
  await showNew(context, data, 'Created');
  if (data.redirect_uris) {
    await context.say(
      `Configure the program with the issuer ${baseUrl}. All endpoints are listed at /.well-known/openid-configuration.`,
    );
    return exitCodes.ok;
  }
  await context.say(
    'Set GOVCTL_CLIENT_ID and GOVCTL_CLIENT_SECRET, or store the credentials with `govctl auth login --client-id`.',
  );
  return exitCodes.ok;
}

export interface RotateOptions {
  readonly args: readonly [string];
  readonly overlap?: string;
}

export async function runRotate(
  context: Context,
  { args: [id], overlap }: RotateOptions,
): Promise<ExitCode> {
  const seconds = overlap === undefined ? undefined : parseOverlap(overlap);
  const body = defined({ overlap_seconds: seconds });
  const { data } = await withOurServer(context, feature, 'Rotating OAuth client secret', (client) =>
    client.oauthClients.rotate({ params: { id }, body }),
  );
  await showNew(context, data, 'Rotated');
  const until = data.previous_secret_expires_at;
  await context.say(
    until === undefined
      ? 'The old secret and its tokens no longer work.'
      : `The old secret works until ${utcMinute(until)}.`,
  );
  return exitCodes.ok;
}

async function showNew(
  context: Context,
  {
    client_secret: secret,
    ...shown
  }: OauthClient & { readonly client_secret?: string | undefined },
  done: string,
): Promise<void> {
  const view = clientView(
    shown,
    await shownBy(context, shown, { headline: (style) => `${style.green(done)} ${shown.id}` }),
  );
  return context.show(
    secret === undefined ? view : showOnce(view, 'client_secret', secret, 'client secret'),
  );
}
