import { createHash } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import { knownHosts } from '../collection.ts';

/** As `ssh-keygen -l` prints it. @param key as it travels */
export const fingerprintOf = (key: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

/** The fingerprint that a server must have: the one that is given, else the one it had first; undefined: any, this time. */
export async function expectedKey(
  { store }: Pick<Deps, 'store'>,
  place: string,
  given: string | undefined,
): Promise<string | undefined> {
  return given?.replace(/=+$/, '') ?? (await store.get(knownHosts, place))?.doc.key;
}

/** Keeps the key of a server that let us in. */
export async function rememberKey(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  place: string,
  key: string,
): Promise<void> {
  const known = (await store.get(knownHosts, place))?.doc;
  if (known?.key === key) return;
  await store.transact(async (tx) => {
    const doc = { id: place, key, seen_at: timestamp(clock.now()) };
    await ((await tx.get(knownHosts, place))
      ? tx.replace(knownHosts, doc)
      : tx.insert(knownHosts, doc));
  });
}
