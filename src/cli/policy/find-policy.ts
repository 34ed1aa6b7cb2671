import type { Client } from '../../client/client.ts';
import { listAllPolicies } from '../../client/policies.ts';
import { readPolicy } from '../../client/policy-changes.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Policy } from '../../contract/policies.ts';
import { loadConfig } from '../../project/config.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { Context, World } from '../context.ts';

export interface FoundPolicy {
  readonly policy: Policy;
  readonly etag: string | undefined;
}

/**
 * The policy of an id; where no id is like it, of a name; where no name is either, of a key in git: of this folder's
 * project, else of the only project that has it. The API finds by id only, so the others are looked for in the whole
 * list.
 * @throws GovctlError policy_not_found, with the nearest name; usage_error where several could be meant
 */
export async function findPolicy(
  { world }: Context,
  client: Client,
  idOrName: string,
): Promise<FoundPolicy> {
  if (idOrName.trim() === '') throw new GovctlError('usage_error', 'The policy is not named');
  if (idOrName.startsWith('pol_')) {
    const found = await readPolicy(client, idOrName);
    if (found) return found;
  }
  const names: string[] = [];
  const matches: Policy[] = [];
  const withKey: Policy[] = [];
  for await (const policy of listAllPolicies(client)) {
    names.push(policy.name);
    if (policy.name === idOrName) matches.push(policy);
    if (readOwnership(policy.tags ?? []).key === idOrName) withKey.push(policy);
  }
  if (matches.length === 0) matches.push(...ofOwnProject(world, withKey));
  const [match, second] = matches;
  if (!match) throw noSuchPolicy(idOrName, names);
  if (second) {
    const have = match.name === idOrName ? 'are named' : 'have the key';
    throw new GovctlError('usage_error', `Several policies ${have} ${JSON.stringify(idOrName)}`, {
      hint: `Name one by its id: ${matches.map(({ id }) => id).join(', ')}.`,
    });
  }
  return (await readPolicy(client, match.id)) ?? { policy: match, etag: undefined };
}

/**
 * The ids of policies that are named by id, name or key. An id is taken as it is: what is asked for may outlive it.
 * @throws GovctlError policy_not_found, with the nearest name; usage_error where several could be meant
 */
export async function findPolicyIds(
  context: Context,
  client: Client,
  named: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const one of named) {
    ids.push(one.startsWith('pol_') ? one : (await findPolicy(context, client, one)).policy.id);
  }
  return ids;
}

/** Those of this folder's project, where it has any; else all. */
export function ofOwnProject<T extends { readonly tags?: readonly string[] | undefined }>(
  { cwd }: World,
  objects: readonly T[],
): readonly T[] {
  const { project } = loadConfig(cwd).config;
  const own = objects.filter(({ tags }) => readOwnership(tags ?? []).owner === project);
  return project !== undefined && own.length > 0 ? own : objects;
}

function noSuchPolicy(idOrName: string, names: readonly string[]): GovctlError {
  const nearest = nearestWord(idOrName, names);
  return new GovctlError(
    'policy_not_found',
    `There is no policy with the id, name or key ${JSON.stringify(idOrName)}`,
    {
      hint: nearest
        ? `Did you mean ${JSON.stringify(nearest)}?`
        : '`govctl policy list` shows what there is.',
    },
  );
}

/** Says that a policy kept in git is about to be changed by hand. */
export async function warnIfOwned(
  { warn }: Context,
  policy: Pick<Policy, 'name' | 'tags'>,
): Promise<void> {
  const { owner } = readOwnership(policy.tags ?? []);
  if (owner === undefined) return;
  await warn(
    `${JSON.stringify(policy.name)} is kept in git by project "${owner}": \`govctl drift\` shows this there, and its next apply undoes it.`,
  );
}
