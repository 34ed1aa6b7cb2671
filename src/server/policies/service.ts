import { checkSameId } from '../http/invalid-body.ts';
import { compileCondition, showCaret } from '../../engine/condition/compile.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { PolicyInput, PolicyUpdate, Rule } from '../../contract/policies.ts';
import { policyFields, serverAssigned } from '../../contract/policies.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Actor, Changer } from '../http/call.ts';
import { frameworksChanged } from '../compliance/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import { policyChanged } from '../evaluation/schedule-policy.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { StoreConflict } from '../store/store.ts';
import { policies } from './collection.ts';
import type { StoredPolicy } from './collection.ts';

/**
 * Compiles and type-checks every condition.
 * @param where the rules stand in the body, such as `policies[0].`
 * @throws GovctlError policy_condition_invalid with an entry for each that doesn't compile
 */
export function checkConditions(rules: readonly Rule[], where = ''): void {
  const details = rules.flatMap(({ condition }, index): ErrorDetail[] => {
    const compiled = compileCondition(condition);
    if (compiled.ok) return [];
    const { problem } = compiled;
    const near = problem.suggestion ? `; did you mean ${problem.suggestion}?` : '';
    const place = `line ${problem.line}, column ${problem.column}`;
    const message = `${place}: ${problem.message}${near}\n${showCaret(condition, problem)}`;
    return [{ field: `${where}rules[${index}].condition`, message }];
  });
  const [first] = details;
  if (!first) return;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  throw new GovctlError(
    'policy_condition_invalid',
    `${first.field} does not compile: ${first.message.split('\n')[0]}${more}`,
    { details },
  );
}

/** @throws GovctlError policy_name_taken */
export async function createPolicy(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  input: PolicyInput,
): Promise<Versioned<StoredPolicy>> {
  const now = timestamp(deps.clock.now());
  const policy = arrange({
    ...input,
    id: deps.ids.next('pol'),
    created_at: now,
    updated_at: now,
    created_by: actor.userId,
  });
  const stored = await refuseTakenName(tx.insert(policies, policy), policy.name);
  await recordAudit(deps, tx, actor, 'policy.create', policy.id);
  await frameworksChanged(deps, tx, undefined, policy);
  await policyChanged(deps, tx, { after: policy });
  return stored;
}

/** @throws GovctlError policy_not_found */
export const readPolicy = (reader: Reader, id: string): Awaitable<Versioned<StoredPolicy>> =>
  whenKnown(reader.get(policies, id), (found) => {
    if (found) return found;
    throw new GovctlError(
      'policy_not_found',
      `There is no policy ${id.slice(0, 100)}; it may have been deleted`,
    );
  });

/**
 * Changes the fields given; null clears. What changes nothing writes nothing.
 * @throws GovctlError policy_not_found, invalid_policy (another id), policy_name_taken, or what `checkMatch` throws
 */
export async function updatePolicy(
  deps: Deps,
  tx: Tx,
  call: Changer,
  { id, update }: { readonly id: string; readonly update: PolicyUpdate },
): Promise<Versioned<StoredPolicy>> {
  const before = await readPolicy(tx, id);
  call.checkMatch(before.revision);
  checkSameId('invalid_policy', 'policy', id, update.id);
  const merged = arrange({ ...before.doc, ...withDefaults(update) });
  const changed = changedFields(before.doc, merged);
  if (changed.length === 0) return before;
  const updatedAt = updatedAfter(before.doc.updated_at, deps.clock.now());
  const policy = arrange({ ...merged, updated_at: updatedAt });
  const stored = await refuseTakenName(tx.replace(policies, policy), policy.name);
  await recordAudit(deps, tx, call.actor, 'policy.update', id, changed);
  await frameworksChanged(deps, tx, before.doc, policy);
  await policyChanged(deps, tx, { before: before.doc, after: policy, changed });
  return stored;
}

/** @throws GovctlError policy_not_found, or what `checkMatch` throws */
export async function deletePolicy(deps: Deps, tx: Tx, call: Changer, id: string): Promise<void> {
  const before = await readPolicy(tx, id);
  call.checkMatch(before.revision);
  await tx.remove(policies, id);
  await recordAudit(deps, tx, call.actor, 'policy.delete', id);
  await frameworksChanged(deps, tx, before.doc, undefined);
  await policyChanged(deps, tx, { before: before.doc });
}

/** What the server assigns is ignored. Left out: stays. Null: its default, or gone. */
function withDefaults(update: PolicyUpdate): Record<string, unknown> {
  const given = Object.entries(update).filter(
    ([field, value]) => value !== undefined && !Object.hasOwn(serverAssigned, field),
  );
  const cleared = (field: string) => (field === 'enabled' ? true : undefined);
  return Object.fromEntries(
    given.map(([field, value]) => [field, value === null ? cleared(field) : value]),
  );
}

const fieldOrder = ['id', ...policyFields, 'created_at', 'updated_at', 'created_by'] as const;

/** The fields in the contract's order, absent ones left out. */
function arrange(fields: Record<string, unknown>): StoredPolicy {
  const policy: Record<string, unknown> = {};
  for (const field of fieldOrder) if (fields[field] !== undefined) policy[field] = fields[field];
  // Put together from a parsed input or a stored policy, and what the server assigns.
  return policy as StoredPolicy;
}

const changedFields = (before: StoredPolicy, after: StoredPolicy): string[] =>
  fieldOrder.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));

async function refuseTakenName<T>(write: Promise<T>, name: string): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof StoreConflict) || error.kind !== 'unique') throw error;
    const message = `another policy is named ${JSON.stringify(name)}; names are unique`;
    throw new GovctlError('policy_name_taken', message[0]?.toUpperCase() + message.slice(1), {
      details: [{ field: 'name', message }],
    });
  }
}
