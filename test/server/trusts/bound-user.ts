import { apiKeys } from '../../../src/server/auth/collection.ts';
import type { TestService } from '../test-service.ts';

/** A user whose role, of the same name, has these scopes, and an API key of theirs. */
export async function userWith(
  { send, deps }: TestService,
  name: string,
  ...scopes: string[]
): Promise<{ readonly id: string; readonly key: string }> {
  await send('POST', '/v1/roles', { body: { name, scopes } });
  const user = { email: `${name}@example.com`, roles: [name] };
  const id = String((await send('POST', '/v1/users', { body: user })).json.id);
  const { json } = await send('POST', '/v1/api-keys', { body: { name, scopes } });
  await deps.store.transact(async (tx) => {
    const found = await tx.get(apiKeys, String(json.id));
    if (!found) throw new Error('it is there');
    await tx.replace(apiKeys, { ...found.doc, bound_to: id, made_by: id });
  });
  return { id, key: String(json.key) };
}
