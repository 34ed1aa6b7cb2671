import { defined } from '../../contract/defined.ts';
import type { ApiKey } from '../../contract/api-keys.ts';
import { scopes } from '../../contract/endpoint.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Context } from '../context.ts';
import { parseExpiry } from '../flags/moment.ts';
import { listOf, parseWords } from '../flags/parse-words.ts';
import { parseOverlap } from '../flags/overlap.ts';
import { withOurServer } from '../objects/our-server.ts';
import { shownBy } from '../objects/shown-by.ts';
import { showOnce } from '../objects/show-once.ts';
import { apiKeyView } from './api-key-view.ts';
import { countriesOf } from './countries.ts';

const feature = 'API key management';

export interface CreateOptions {
  readonly name: string;
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly ip?: readonly string[];
  readonly country?: readonly string[];
  readonly requireSignature?: true;
}

export async function runCreate(
  context: Context,
  { name, scope, expires = 'never', ip, country, requireSignature }: CreateOptions,
): Promise<ExitCode> {
  const expiresAt = parseExpiry('--expires', expires, context.world.now()) ?? undefined;
  const body = {
    name,
    scopes: parseWords('--scope', scope, scopes),
    ...defined({
      expires_at: expiresAt,
      ip_allow_list: ip && listOf(ip),
      countries: country && countriesOf(country),
      require_signature: requireSignature,
    }),
  };
  const { data } = await withOurServer(context, feature, 'Creating API key', (client) =>
    client.apiKeys.create({ body }),
  );
  return showNew(context, data, 'Created');
}

export interface RotateOptions {
  readonly args: readonly [string];
  readonly overlap?: string;
  readonly requireSignature?: true;
}

export async function runRotate(
  context: Context,
  { args: [id], overlap, requireSignature }: RotateOptions,
): Promise<ExitCode> {
  const body = defined({
    overlap_seconds: overlap === undefined ? undefined : parseOverlap(overlap),
    require_signature: requireSignature,
  });
  const { data } = await withOurServer(context, feature, 'Rotating API key', (client) =>
    client.apiKeys.rotate({ params: { id }, body }),
  );
  await showNew(context, data, 'Rotated');
  const until = data.previous_key_expires_at;
  await context.say(
    until === undefined
      ? 'The old key no longer works.'
      : `The old key works until ${utcMinute(until)}.`,
  );
  return exitCodes.ok;
}

async function showNew(
  context: Context,
  {
    key,
    signing_secret: signing,
    ...shown
  }: ApiKey & { readonly key: string; readonly signing_secret?: string | undefined },
  done: string,
): Promise<ExitCode> {
  const view = apiKeyView(
    shown,
    await shownBy(context, shown, { headline: (style) => `${style.green(done)} ${shown.id}` }),
  );
  const withKey = showOnce(view, 'key', key);
  await context.show(
    signing === undefined
      ? withKey
      : showOnce(withKey, 'signing_secret', signing, 'signing secret'),
  );
  await context.say(
    signing === undefined
      ? 'Set GOVCTL_TOKEN to the key, or store it with `govctl auth login --with-token`.'
      : 'Set GOVCTL_TOKEN and GOVCTL_SIGNING_SECRET, or store both with `govctl auth login`.',
  );
  return exitCodes.ok;
}
