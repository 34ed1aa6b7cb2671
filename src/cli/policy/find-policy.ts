import type { Client } from '../../client/client.ts';
import { listAllPolicies } from '../../client/policies.ts';
import { readPolicy } from '../../client/policy-changes.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Policy } from '../../contract/policies.ts';
import { readOwnership } from '../../project/ownership.ts';
import type { Context } from '../context.ts';

export interface FoundPolicy {
  readonly policy: Policy;
  readonly etag: string | undefined;
}

/**
 * The policy of an id or, where no id is like it, of a name; the API finds by id only, so a name is looked for in
 * the whole list.
 * @throws GovctlError policy_not_found, with the nearest name; usage_error where several have the name
 */
export async function findPolicy(client: Client, idOrName: string): Promise<FoundPolicy> {
  if (idOrName.trim() === '') throw new GovctlError('usage_error', 'The policy is not named');
  if (idOrName.startsWith('pol_')) {
    const found = await readPolicy(client, idOrName);
    if (found) return found;
  }
  const names: string[] = [];
  const matches: Policy[] = [];
  for await (const policy of listAllPolicies(client)) {
    names.push(policy.name);
    if (policy.name === idOrName) matches.push(policy);
  }
  const [match, second] = matches;
  if (!match) throw noSuchPolicy(idOrName, names);
  if (second) {
    throw new GovctlError('usage_error', `Several policies are named ${JSON.stringify(idOrName)}`, {
      hint: `Name one by its id: ${matches.map(({ id }) => id).join(', ')}.`,
    });
  }
  return (await readPolicy(client, match.id)) ?? { policy: match, etag: undefined };
}

function noSuchPolicy(idOrName: string, names: readonly string[]): GovctlError {
  const nearest = nearestWord(idOrName, names);
  return new GovctlError(
    'policy_not_found',
    `There is no policy with the id or name ${JSON.stringify(idOrName)}`,
    {
      hint: nearest
        ? `Did you mean ${JSON.stringify(nearest)}?`
        : '`govctl policy list` shows what there is.',
    },
  );
}

/** Says that a policy kept in git is about to be changed by hand. */
export async function warnIfOwned({ warn }: Context, policy: Policy): Promise<void> {
  const { owner } = readOwnership(policy.tags ?? []);
  if (owner === undefined) return;
  await warn(
    `${JSON.stringify(policy.name)} is kept in git by project "${owner}": \`govctl drift\` shows this there, and its next apply undoes it.`,
  );
}
