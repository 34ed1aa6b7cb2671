import type { Client } from '../../client/client.ts';
import { fetchPage } from '../../client/list-all.ts';
import { policyObjects } from '../../client/objects.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Me } from '../../contract/me.ts';
import { inThrees, printableLine } from '../terminal/printable.ts';

/** What a service makes of a login. */
export interface Verdict {
  /** It may read policies; false: the service knows it, but it lacks governance:read. */
  readonly reads: boolean;
  /** How many policies there are, where the service says so. */
  readonly policies?: number;
  /** Whose it is, where the service tells. */
  readonly me?: Me;
}

/**
 * Tries a login with the smallest read there is.
 * @throws GovctlError invalid_token and its like when it is refused, unreachable, bad_answer
 */
export async function verifyLogin(client: Client): Promise<Verdict> {
  const verdict = await tryReading(client);
  const me = await whoIs(client);
  return { ...verdict, ...(me ? { me } : {}) };
}

async function tryReading(client: Client): Promise<Verdict> {
  try {
    const { pagination } = await fetchPage(client, policyObjects, { limit: 1 });
    return {
      reads: true,
      ...(pagination?.total === undefined ? {} : { policies: pagination.total }),
    };
  } catch (error) {
    if (error instanceof GovctlError && error.error === 'insufficient_scope')
      return { reads: false };
    throw error;
  }
}

/** Undefined at a service that does not tell. */
async function whoIs(client: Client): Promise<Me | undefined> {
  try {
    return (await client.me.get({})).data;
  } catch (error) {
    if (error instanceof GovctlError && error.error !== 'interrupted') return undefined;
    throw error;
  }
}

/** "ada@example.com (Ada)"; what a service says of a name may be anything. */
export const describePerson = ({ email, name }: NonNullable<Me['user']>): string =>
  printableLine(name === undefined ? email : `${email} (${name})`);

export function describeVerdict({ reads, policies }: Verdict): string {
  if (!reads) return 'it lacks the governance:read scope, so it cannot read policies';
  return policies === undefined
    ? 'it can read policies'
    : `it can read ${policies === 1 ? '1 policy' : `${inThrees(policies)} policies`}`;
}
