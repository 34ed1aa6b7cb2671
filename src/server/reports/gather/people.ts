import { apiKeys, oauthClients } from '../../auth/collection.ts';
import type { Pace } from '../../pace.ts';
import { allRows } from '../../store/all-rows.ts';
import type { CollectionSpec, Document, Reader } from '../../store/store.ts';
import { trusts } from '../../trusts/collection.ts';
import { users } from '../../users/collection.ts';

/**
 * The names of actors in reports, by the user ID that is recorded: the name or email address of a person, or the name of
 * the key, client or trust rule with this ID. Deleted ones have no name.
 */
export async function gatherPeople(
  reader: Reader,
  pace: Pace,
): Promise<ReadonlyMap<string, string>> {
  const people = new Map<string, string>();
  const add = async <T extends Document>(
    collection: CollectionSpec<T>,
    nameOf: (doc: T) => readonly [id: string, name: string],
  ): Promise<void> => {
    for await (const { doc } of allRows(reader, collection, {})) {
      await pace.spend(1);
      people.set(...nameOf(doc));
    }
  };
  await add(trusts, ({ user_id: id, name }) => [id, name]);
  await add(oauthClients, ({ user_id: id, name }) => [id, name]);
  await add(apiKeys, ({ user_id: id, name }) => [id, name]);
  // The name of a person is preferred to those of their keys.
  await add(users, ({ id, name, email }) => [id, name ?? email]);
  return people;
}
