import type { Client } from '../../client/client.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { AnsweredResource } from '../../contract/resources.ts';
import { matchesId } from '../../engine/exempt.ts';
import type { Context } from '../context.ts';
import { collectPages } from '../objects/collect-pages.ts';
import { isUnavailable } from '../objects/our-server.ts';

/** Resources that are compared with globs, and resource IDs that are looked up: a request for each 100, and for each. */
const mostCompared = 2_000;
const mostLookedUp = 20;

/** Warns, before an exemption is stored, of its resource IDs and globs that no resource matches: most are typos. */
export async function warnOfUnmatched(
  context: Context,
  resources: readonly string[],
): Promise<void> {
  for (const one of await findUnmatched(await context.client(), resources)) {
    await context.warn(
      `No resource in the inventory matches ${JSON.stringify(one)} at the moment.`,
    );
  }
}

/**
 * The resource IDs and globs of an exemption that no resource matches now. In an inventory with more resources than are
 * compared, a glob may match one of the others; with a token that must not read resources, all may match.
 */
async function findUnmatched(
  client: Client,
  resources: readonly string[],
): Promise<readonly string[]> {
  const isGlob = (one: string): boolean => one.includes('*');
  try {
    const unmatched: string[] = [];
    for (const id of resources.filter((one) => !isGlob(one)).slice(0, mostLookedUp)) {
      if (!(await isStored(client, id))) unmatched.push(id);
    }
    const globs = resources.filter(isGlob);
    if (globs.length === 0) return unmatched;
    const ids = await readIds(client);
    const isUnmatched = (glob: string): boolean => !ids.some((id) => matchesId(glob, id));
    return ids.length < mostCompared ? [...unmatched, ...globs.filter(isUnmatched)] : unmatched;
  } catch (error) {
    if (isUnavailable(error)) return [];
    throw error;
  }
}

async function isStored(client: Client, id: string): Promise<boolean> {
  try {
    await client.resources.get({ params: { id } });
    return true;
  } catch (error) {
    if (error instanceof GovctlError && error.error === 'resource_not_found') return false;
    throw error;
  }
}

async function readIds(client: Client): Promise<readonly string[]> {
  const { rows } = await collectPages<AnsweredResource>(mostCompared, 'resources', async (page) => {
    const query = { sort_by: 'id', order: 'asc', ...page } as const;
    const { data, characters } = await client.resources.list({ query });
    return { rows: data.resources, pagination: data.pagination, characters };
  });
  return rows.map(({ id }) => id);
}
