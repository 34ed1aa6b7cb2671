import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import { showKey, withoutAnnouncement } from './api-keys.ts';
import { apiKeyStates, apiKeys } from './collection.ts';
import type { ApiKeyState } from './collection.ts';

/** States in one transaction. */
const batch = 100;

/** Emits `api.key.expiring` for keys that are about to expire, once for each expiry. */
export async function announceExpiring(deps: Deps): Promise<void> {
  const { store, clock } = deps;
  const isDue = ({ announce_at: at }: ApiKeyState): boolean =>
    at !== undefined && at <= clock.now();
  const next = { orderBy: 'announce_at', direction: 'asc' } as const;
  const announce = async (tx: Tx, state: ApiKeyState): Promise<void> => {
    await tx.replace(apiKeyStates, withoutAnnouncement(state));
    const key = (await tx.get(apiKeys, state.id))?.doc;
    // One that is over by now was told of by its requests.
    if (key?.expires_at !== undefined && Date.parse(key.expires_at) > clock.now()) {
      await emit(deps, tx, 'api.key.expiring', { api_key: showKey(key) });
    }
  };
  for (;;) {
    const { rows } = await store.page(apiKeyStates, { ...next, limit: 1 });
    if (!rows.some(({ doc }) => isDue(doc))) return;
    await store.transact(async (tx) => {
      const page = await tx.page(apiKeyStates, { ...next, limit: batch });
      for (const { doc } of page.rows) if (isDue(doc)) await announce(tx, doc);
    });
  }
}
