import { defined } from '../../contract/defined.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GovctlError } from '../../contract/errors.ts';
import { ownerTagPrefix, readKeyTag } from '../../contract/key-tag.ts';
import type { PolicyInput } from '../../contract/policies.ts';
import { maxEvaluationsPerRequest } from '../../contract/evaluation.ts';
import type { ValidateAnswer, ValidateInput } from '../../contract/evaluation.ts';
import type { Finding } from '../../contract/findings.ts';
import { typeKey } from '../../contract/resources.ts';
import { createPolicySet, evaluate, policiesFor, preparePolicy } from '../../engine/evaluate.ts';
import type { PolicySet, PreparedPolicy } from '../../engine/evaluate.ts';
import { emptyTally, tally } from '../../engine/score.ts';
import type { Deps } from '../deps.ts';
import { exemptionsOf, namesOf } from '../exemptions/collection.ts';
import type { StoredExemption } from '../exemptions/collection.ts';
import { policies } from '../policies/collection.ts';
import { checkConditions, readPolicy } from '../policies/service.ts';
import { completeResource } from '../resources/service.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import type { PreparePolicy } from './prepared-policies.ts';

/** Evaluations between two turns of others. */
const perTurn = 2_000;

/**
 * What policies find in resources that are given, not stored. Exemptions count for the service's policies, and for
 * those given here: by their name and their key in git, and by the id of the service's policy of that key or name.
 * @throws GovctlError policy_not_found, policy_condition_invalid, malformed_request where it is too much at once
 */
export async function validate(
  deps: Deps,
  prepare: PreparePolicy,
  { resources: given, mode, ...which }: ValidateInput,
): Promise<ValidateAnswer> {
  for (const [at, { rules }] of (which.policies ?? []).entries()) {
    checkConditions(rules, `policies[${at}].`);
  }
  const resources = given.map(completeResource);
  const types = new Set(resources.map(({ type }) => typeKey(type)));
  const set = await choosePolicies(deps, prepare, which, types);
  const evaluations = resources.reduce((sum, { type }) => sum + policiesFor(set, type).length, 0);
  if (evaluations > maxEvaluationsPerRequest) {
    throw new GovctlError(
      'malformed_request',
      `These resources and policies make ${evaluations} evaluations; one request takes ${maxEvaluationsPerRequest}`,
      { hint: 'Send the resources in several requests.' },
    );
  }
  const now = deps.clock.now();
  const exemptions = new Map<PreparedPolicy, readonly StoredExemption[]>();
  for (const policy of [...types].flatMap((type) => policiesFor(set, type))) {
    exemptions.set(policy, await exemptionsOf(deps.store, namesOf(policy)));
  }
  const results: Finding[] = [];
  let done = 0;
  for (const resource of resources) {
    for (const policy of policiesFor(set, resource.type)) {
      results.push(evaluate(policy, resource, now, exemptions.get(policy)));
      if (++done % perTurn === 0) await nextTurn();
    }
  }
  const { evaluated, pass, fail, error, exempt } = tally(emptyTally, results);
  const isFailure = ({ status }: Finding): boolean => status !== 'PASS' && status !== 'SKIPPED';
  return {
    summary: { evaluated, pass, fail, error, exempt },
    results: mode === 'failures' ? results.filter(isFailure) : results,
  };
}

/** The key of a policy that is given, and the id under which the service has it. */
async function identify(
  reader: Reader,
  { name, tags = [] }: PolicyInput,
): Promise<{ readonly key?: string; readonly id?: string }> {
  const { key } = readKeyTag(tags);
  if (key !== undefined) {
    const owner = tags.filter((tag) => tag.startsWith(ownerTagPrefix));
    for await (const { doc } of allRows(reader, policies, { key: { any: [key] } })) {
      if (owner.every((tag) => doc.tags?.includes(tag))) return { key, id: doc.id };
    }
  }
  const sameName = await reader.find(policies, 'name', name);
  return {
    ...defined({ key }),
    ...(sameName ? { id: sameName.doc.id } : {}),
  };
}

async function choosePolicies(
  deps: Deps,
  prepare: PreparePolicy,
  { policy_ids: ids, policies: inline }: Omit<ValidateInput, 'resources' | 'mode'>,
  types: ReadonlySet<string>,
): Promise<PolicySet> {
  const chosen: PreparedPolicy[] = [];
  for (const policy of inline ?? []) {
    chosen.push(preparePolicy({ policy, ...(await identify(deps.store, policy)) }));
  }
  for (const id of new Set(ids)) chosen.push(prepare(await readPolicy(deps.store, id)));
  if (!ids && !inline) {
    const where = { evaluated_type: { any: [...types] } };
    for await (const row of allRows(deps.store, policies, where)) chosen.push(prepare(row));
  }
  return createPolicySet(chosen);
}
