import type { ApplySource } from '../../contract/apply-source.ts';
import { findEnforcementProblems } from '../../contract/enforcement.ts';
import { checkSameId, invalidBody } from '../http/invalid-body.ts';
import { showCaret } from '../../engine/condition/compile.ts';
import type { ConditionProblem } from '../../engine/condition/compile.ts';
import { findTooLong } from '../../engine/condition/too-long.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Applied, PolicyInput, PolicyUpdate, Rule } from '../../contract/policies.ts';
import { policyFields, serverAssigned } from '../../contract/policies.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Actor, Changer } from '../http/call.ts';
import { frameworksChanged } from '../compliance/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import {
  bearsOnRemediation,
  bearsOnVerdicts,
  policyChanged,
} from '../evaluation/schedule-policy.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { StoreConflict } from '../store/store.ts';
import { policies } from './collection.ts';
import type { StoredPolicy } from './collection.ts';

/** Compiles conditions, where that holds up nobody. */
export type CheckConditions = (
  conditions: readonly string[],
) => Promise<readonly (ConditionProblem | null)[]>;

/**
 * Refuses what is too long before it is compiled, then has every condition compiled and type-checked.
 * @param where the rules stand in the body, such as `policies[0].`
 * @throws GovctlError policy_condition_invalid with an entry for each that doesn't compile, or that makes the conditions of
 * its policy or of the body too long together
 */
export async function checkConditions(
  check: CheckConditions,
  given: readonly { readonly rules: readonly Rule[]; readonly where: string }[],
): Promise<void> {
  const conditions = given.flatMap(({ rules, where }) =>
    rules.map(({ condition }, index) => ({
      condition,
      field: `${where}rules[${index}].condition`,
    })),
  );
  refuseTooLong(given);
  const problems = await check(conditions.map(({ condition }) => condition));
  const details = conditions.flatMap(({ condition, field }, at): ErrorDetail[] => {
    const problem = problems[at];
    if (!problem) return [];
    const near = problem.suggestion ? `; did you mean ${problem.suggestion}?` : '';
    const place = `line ${problem.line}, column ${problem.column}`;
    const message = `${place}: ${problem.message}${near}\n${showCaret(condition, problem)}`;
    return [{ field, message }];
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

function refuseTooLong(
  given: readonly { readonly rules: readonly Rule[]; readonly where: string }[],
): void {
  const conditionsOf = ({ rules }: { readonly rules: readonly Rule[] }) =>
    rules.map(({ condition }) => condition);
  const fields = given.map(({ rules, where }) =>
    rules.map((_, index) => `${where}rules[${index}].condition`),
  );
  const details: ErrorDetail[] = [];
  const add = (found: ReturnType<typeof findTooLong>, from: readonly string[]) => {
    if (found) details.push({ field: from[found.at] ?? '', message: found.message });
  };
  for (const [at, one] of given.entries()) {
    add(findTooLong(conditionsOf(one), 'policy'), fields[at] ?? []);
  }
  if (details.length === 0) add(findTooLong(given.flatMap(conditionsOf), 'body'), fields.flat());
  const [first] = details;
  if (!first) return;
  throw new GovctlError('policy_condition_invalid', `${first.field}: ${first.message}`, {
    details,
    hint: 'Move rules to other policies, or send the policies in several requests.',
  });
}

/** @throws GovctlError invalid_policy */
function checkTags({ tags = [] }: { readonly tags?: readonly string[] | null | undefined }): void {
  const details = findEnforcementProblems(tags ?? []).map(({ index, message, hint }) => ({
    field: `tags[${index}]`,
    message: `${message}. ${hint}`,
  }));
  if (details.length > 0) throw invalidBody('invalid_policy', details);
}

/** @throws GovctlError policy_name_taken, invalid_policy */
export async function createPolicy(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  input: PolicyInput,
): Promise<Versioned<StoredPolicy>> {
  checkTags(input);
  const now = timestamp(deps.clock.now());
  const policy = arrange({
    ...input,
    id: deps.ids.next('pol'),
    created_at: now,
    updated_at: now,
    created_by: actor.userId,
  });
  if (actor.source) policy.applied = appliedNow(actor, actor.source, now);
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
  if (changed.includes('tags')) checkTags(merged);
  const updatedAt = updatedAfter(before.doc.updated_at, deps.clock.now());
  const policy = arrange({ ...merged, updated_at: updatedAt });
  const { source } = call.actor;
  const applied = source ? appliedNow(call.actor, source, updatedAt) : before.doc.applied;
  if (applied) policy.applied = applied;
  // Tried again where it may cost less now.
  if (!bearsOnVerdicts(changed) && before.doc.quarantined) {
    policy.quarantined = before.doc.quarantined;
  }
  const { remediation_problem: problem } = before.doc;
  if (problem && !bearsOnRemediation(changed)) policy.remediation_problem = problem;
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

/** What the server finds out about a policy, and shows with it. */
const ofServer: ReadonlySet<string> = new Set(['applied', 'quarantined', 'remediation_problem']);

const appliedNow = ({ userId }: Actor, source: ApplySource, at: string): Applied => ({
  at,
  by: userId,
  ...source,
});

/** What the server assigns is ignored. Left out: stays. Null: its default, or gone. */
function withDefaults(update: PolicyUpdate): Record<string, unknown> {
  const given = Object.entries(update).filter(
    ([field, value]) =>
      value !== undefined && !ofServer.has(field) && !Object.hasOwn(serverAssigned, field),
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
