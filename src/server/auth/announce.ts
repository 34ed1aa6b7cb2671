import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import type { StoredApiKey } from './collection.ts';

/** An API key as answered: nothing that lets anybody in. */
export const showKey = ({
  hash: _h,
  bootstrap: _b,
  bound_to: _u,
  version: _v,
  scopes,
  ...key
}: StoredApiKey) => ({
  ...key,
  scopes: [...scopes],
});

export async function announceKey(deps: Deps, tx: Tx, key: StoredApiKey): Promise<void> {
  await emit(deps, tx, 'api.key.created', { api_key: showKey(key) });
}
