import type { Client } from '../../client/client.ts';
import { GovctlError } from '../../contract/errors.ts';
import { keyIdOf, readPublicKey } from '../../report/sign/public-key.ts';
import type { Context } from '../context.ts';
import type { Profile } from '../credentials/profiles.ts';
import { shortKeyId } from '../credentials/trusted-key.ts';

export interface PinnedKey {
  readonly pem: string;
  readonly id: string;
}

/**
 * The key to pin at login, which signatures are compared with: the one that the server shows at the first login. If it
 * shows another one later, a person must confirm it, as whoever intercepts the connection could show any key.
 * @param before the profile that the login replaces
 */
export async function pinKey(
  context: Context,
  client: Client,
  baseUrl: string,
  before: Profile | undefined,
): Promise<PinnedKey | undefined> {
  const shown = await readServerKey(client);
  const kept = before?.base_url === baseUrl ? pinnedOf(before.server_key) : undefined;
  if (!kept || !shown || shown.id === kept.id) return kept ?? shown;
  const changed = `${baseUrl} now signs with key ${shortKeyId(shown.id)}; an earlier login pinned key ${shortKeyId(kept.id)}`;
  if (!context.flags.input) {
    await context.warn(
      `${changed}. The earlier key stays pinned. If the operator confirms the new key, run \`govctl auth logout\` and log in again.`,
    );
    return kept;
  }
  await context.warn(`${changed}.`);
  return (await context.world.prompt.confirm('Pin the new key?', false)) ? shown : kept;
}

/** Undefined if the server has no key, or the login may not read it. */
async function readServerKey(client: Client): Promise<PinnedKey | undefined> {
  try {
    const { data } = await client.evidence.key({});
    return pinnedOf(data.key.public_key);
  } catch (error) {
    if (error instanceof GovctlError && error.error !== 'interrupted') return undefined;
    throw error;
  }
}

function pinnedOf(pem: string | undefined): PinnedKey | undefined {
  const key = pem === undefined ? undefined : readPublicKey(pem);
  if (!key) return undefined;
  return { pem: key.export({ type: 'spki', format: 'pem' }).toString(), id: keyIdOf(key) };
}
