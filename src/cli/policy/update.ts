import type { Client } from '../../client/client.ts';
import { readPolicy, updatePolicy } from '../../client/policy-changes.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Policy } from '../../contract/policies.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { PolicyUpdate, serverAssigned, severities } from '../../contract/policies.ts';
import { isOwnershipTag } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';
import type { FoundPolicy } from './find-policy.ts';
import { findPolicy, warnIfOwned } from './find-policy.ts';
import { policyView } from './policy-view.ts';
import { parseSettings, readFields } from '../flags/read-fields.ts';

export interface UpdateOptions {
  readonly args: readonly [string];
  readonly file?: string;
  readonly set?: readonly string[];
  readonly ifMatch?: string;
}

const changeable = Object.keys(PolicyUpdate.shape).filter(
  (name) => !Object.hasOwn(serverAssigned, name),
);

export async function runUpdate(context: Context, options: UpdateOptions): Promise<ExitCode> {
  const change = await readChange(context, options);
  const client = await context.client();
  const found = await context.progress('Looking it up', () =>
    findPolicy(context, client, options.args[0]),
  );
  await warnIfOwned(context, found.policy);
  const changed = await changePolicy(
    context,
    client,
    found,
    keepOwnership(found.policy, change),
    options.ifMatch,
  );
  await context.show(policyView(changed, (style) => `${style.green('Updated')} ${changed.id}`));
  return exitCodes.ok;
}

/** Sends a change; the policy as it is then, read again where the server's answer did not show it. */
export async function changePolicy(
  context: Context,
  client: Client,
  { policy, etag }: FoundPolicy,
  change: PolicyUpdate,
  ifMatch?: string,
): Promise<Policy> {
  // Tags are written whole, so they must not be those of an older state.
  const match = ifMatch ?? (change.tags === undefined ? undefined : etag);
  const answer = await context.progress('Changing it', () =>
    updatePolicy(client, policy.id, change, match === undefined ? {} : { ifMatch: match }),
  );
  return answer.policy ?? (await readPolicy(client, policy.id))?.policy ?? policy;
}

async function readChange({ world }: Context, options: UpdateOptions): Promise<PolicyUpdate> {
  const fromFile =
    options.file === undefined ? {} : await readFields(world, options.file, PolicyUpdate);
  const fromFlags = await parseSettings(options.set ?? [], changeable);
  const change = { ...fromFile, ...fromFlags };
  if (Object.keys(change).length === 0) {
    throw new GovctlError('usage_error', 'Nothing to change is given', {
      hint: 'Give --set field=value, or -f FILE.',
    });
  }
  const parsed = PolicyUpdate.safeParse(change);
  if (parsed.success) return parsed.data;
  throw new GovctlError('usage_error', 'The change is not valid', {
    details: parsed.error.issues.map(({ path, message }) => ({
      field: path.join('.'),
      message: path[0] === 'severity' ? explainSeverity(change.severity) : message,
    })),
  });
}

function explainSeverity(given: unknown): string {
  const nearest = nearestWord(String(given), severities);
  const known = `must be one of ${severities.join(', ')}`;
  return nearest ? `${known}. Did you mean ${nearest}?` : known;
}

/** New tags leave govctl's own in place: people neither see nor write them. */
function keepOwnership(policy: Policy, change: PolicyUpdate): PolicyUpdate {
  const owned = (policy.tags ?? []).filter(isOwnershipTag);
  if (change.tags === undefined || owned.length === 0) return change;
  const given = change.tags ?? [];
  return { ...change, tags: [...given, ...owned.filter((tag) => !given.includes(tag))] };
}
