import type { Policy } from '../contract/policies.ts';
import type { Client } from './client.ts';
import type { ChangeOptions, ObjectAnswer } from './objects.ts';
import { createObject, deleteObject, policyObjects, readObject, updateObject } from './objects.ts';

/** What a server said to a change; the description leaves the body open, so there may be none. */
interface ChangeAnswer {
  readonly policy: Policy | undefined;
  readonly etag: string | undefined;
}

const asChange = ({ item, etag }: ObjectAnswer<Policy>): ChangeAnswer => ({ policy: item, etag });

/** Creates a policy on any server, as `createObject` does. */
export const createPolicy = async (
  client: Client,
  body: Readonly<Record<string, unknown>>,
  options: ChangeOptions = {},
): Promise<ChangeAnswer> => asChange(await createObject(client, policyObjects, body, options));

/** Changes some fields of a policy on any server. */
export const updatePolicy = async (
  client: Client,
  id: string,
  body: Readonly<Record<string, unknown>>,
  options: ChangeOptions = {},
): Promise<ChangeAnswer> => asChange(await updateObject(client, policyObjects, id, body, options));

/** Deletes a policy; one that is gone already is what was wanted. */
export const deletePolicy = (
  client: Client,
  id: string,
  options: ChangeOptions = {},
): Promise<void> => deleteObject(client, policyObjects, id, options);

/** One policy and its ETag, from any server; undefined when there is none of this id. */
export async function readPolicy(
  client: Client,
  id: string,
): Promise<{ readonly policy: Policy; readonly etag: string | undefined } | undefined> {
  const found = await readObject(client, policyObjects, id);
  return found && { policy: found.item, etag: found.etag };
}
