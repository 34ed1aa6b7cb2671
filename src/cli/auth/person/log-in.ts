import { createTransport } from '../../../client/transport.ts';
import type { Transport } from '../../../client/transport.ts';
import { GovctlError } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { transportOptions, warnUnprotected } from '../../objects/connect.ts';
import { logInByBrowser } from './by-browser.ts';
import { logInByDevice } from './by-device.ts';
import { hasBrowser } from './has-browser.ts';
import type { PersonTokens } from './oauth-client.ts';
import { openOauth } from './oauth-client.ts';
import type { LoginOffer } from './read-offer.ts';
import { readOffer } from './read-offer.ts';

type Way = 'web' | 'device';

const names = { web: 'your browser', device: 'a device code' } as const;

const transportTo = (context: Context, baseUrl: string): Transport =>
  createTransport(transportOptions(context, baseUrl));

/** Ways in for people, the best one first; none at a service that has none, or none that is safe. */
export async function waysOfPeople(
  context: Context,
  baseUrl: string,
): Promise<{ name: string; value: Way }[]> {
  const offer = await readOffer(transportTo(context, baseUrl), baseUrl).catch(
    async (error: unknown): Promise<LoginOffer | undefined> => {
      if (!(error instanceof GovctlError) || mustEnd.has(error.error)) throw error;
      if (error.error === 'bad_answer') await context.warn(`${error.message}.`);
      return undefined;
    },
  );
  if (!offer) return [];
  const ways: readonly Way[] = hasBrowser(context.world.env)
    ? ['web', 'device']
    : ['device', 'web'];
  return ways.filter((way) => offer[way]).map((value) => ({ name: names[value], value }));
}

/** After these there is nothing to log in to. */
const mustEnd = new Set(['unreachable', 'unavailable', 'rate_limit_exceeded', 'internal_error', 'interrupted']); // prettier-ignore

/**
 * Has a person log in.
 * @throws GovctlError usage_error where the service does not have this way, not_logged_in, bad_answer, interrupted
 */
export async function logInPerson(
  context: Context,
  baseUrl: string,
  { way, scope }: { readonly way: Way; readonly scope?: string },
): Promise<{ readonly kind: 'person' } & PersonTokens> {
  await warnUnprotected(context, baseUrl);
  const transport = transportTo(context, baseUrl);
  const offer = await readOffer(transport, baseUrl).catch((error: unknown) => {
    throw isMissing(error) ? notOffered(baseUrl, way, error) : error;
  });
  if (!offer[way]) throw notOffered(baseUrl, way);
  const client = await openOauth(transport, baseUrl, offer, context.world.signal);
  const wanted = scope ?? offer.scopes.join(' ');
  const tokens =
    way === 'web'
      ? await logInByBrowser(context, client, wanted)
      : await logInByDevice(context, client, { baseUrl, scope: wanted });
  return { kind: 'person', ...tokens };
}

/** A service without this document, or that wants a token for any address. */
const isMissing = (error: unknown): boolean =>
  error instanceof GovctlError && [401, 403, 404, 405].includes(error.status ?? 0);

const notOffered = (baseUrl: string, way: Way, cause?: unknown): GovctlError =>
  new GovctlError('usage_error', `${baseUrl} does not support login with ${names[way]}`, {
    cause,
    hint: 'Run `govctl auth login` to choose another login method, or use an API key.',
  });
