import { defined } from '../../contract/defined.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { toJson } from '../json.ts';
import type { Reader } from '../store/store.ts';
import { oauthStates, stateId } from '../oauth/collection.ts';
import { findUser } from '../users/service.ts';
import { accessTokens, apiKeys } from './collection.ts';
import { nameOfCredential } from './service.ts';

export const meHandlers = ({ store }: Deps): Handlers['me'] => ({
  async get(_input, { principal }) {
    const { userId, kind, scopes, via, boundTo } = principal;
    const user = boundTo === undefined ? undefined : await findUser(store, boundTo);
    return {
      body: toJson({
        user_id: userId,
        kind,
        scopes: [...scopes],
        credential: {
          id: via,
          ...defined({
            name: await nameOfCredential(store, via),
            expires_at: await expiryOf(store, via),
            login_expires_at: await loginExpiryOf(store, via),
          }),
        },
        ...(user && {
          user: {
            id: user.id,
            email: user.email,
            ...defined({ name: user.name }),
            roles: [...user.roles],
          },
        }),
      }),
    };
  },
});

async function expiryOf(reader: Reader, id: string): Promise<string | undefined> {
  const key = await reader.get(apiKeys, id);
  if (key) return key.doc.expires_at;
  const token = await reader.get(accessTokens, id);
  return token && timestamp(token.doc.expires_at);
}

/** A login ends with what the user has granted, however often its tokens are refreshed. */
async function loginExpiryOf(reader: Reader, id: string): Promise<string | undefined> {
  const grantId = (await reader.get(accessTokens, id))?.doc.grant_id;
  if (grantId === undefined) return undefined;
  const grant = await reader.get(oauthStates, stateId('Grant', grantId));
  return grant && timestamp(grant.doc.expires_at);
}
