import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../contract/defined.ts';
import type { Finding } from '../../contract/findings.ts';
import type { Severity } from '../../contract/policies.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { typeKey } from '../../contract/resources.ts';
import { timestamp } from '../deps.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { nextTurn } from '../next-turn.ts';
import { allRows } from '../store/all-rows.ts';
import type { Filters } from '../http/paging.ts';
import type { Position, Reader, Tx } from '../store/store.ts';
import { outcomeId, outcomes, scopes, standings } from './collection.ts';
import type { StoredOutcome, StoredScope, StoredStanding } from './collection.ts';

/** Characters: there may be one for each resource. */
const longestMessage = 1_024;

/** What a policy was found to say of a resource. */
interface Found {
  readonly policy: StoredPolicy;
  readonly resource: KnownResource;
  readonly finding: Finding;
}

/** Writes the outcome down, or removes it where the policy passes. @returns what was written */
export async function outcomeFound(
  tx: Tx,
  now: number,
  { policy, resource, finding }: Found,
): Promise<StoredOutcome | undefined> {
  const { status, reason, path } = finding;
  const id = outcomeId(policy.id, resource.id);
  const before = (await tx.get(outcomes, id))?.doc;
  if (status === 'PASS' || status === 'SKIPPED') {
    if (before) await tx.remove(outcomes, id);
    return undefined;
  }
  const [first] = finding.rules;
  const at = timestamp(now);
  const after: StoredOutcome = {
    id,
    policy_id: policy.id,
    policy_name: policy.name,
    resource_id: resource.id,
    resource_type: resource.type,
    status,
    severity: finding.severity,
    ...(status === 'ERROR'
      ? defined({ reason, path, message: first?.message?.slice(0, longestMessage) })
      : {}),
    provider: resource.provider,
    ...defined({
      account_id: resource.account_id,
      region: resource.region,
      environment: resource.environment,
    }),
    since: before?.status === status ? before.since : at,
    updated_at: before?.updated_at ?? at,
  };
  if (!before) return (await tx.insert(outcomes, after)).doc;
  if (isDeepStrictEqual(before, after)) return undefined;
  return (await tx.replace(outcomes, { ...after, updated_at: at })).doc;
}

/** An exemption covers what fails, or no longer does. */
export async function coverChanged(
  tx: Tx,
  now: number,
  before: StoredOutcome,
  isCovered: boolean,
): Promise<void> {
  const status = isCovered ? 'EXEMPT' : 'FAIL';
  if (before.status === 'ERROR' || before.status === status) return;
  const at = timestamp(now);
  await tx.replace(outcomes, { ...before, status, since: at, updated_at: at });
}

const scopeOf = ({ provider, account_id, environment }: KnownResource) => ({
  provider,
  ...defined({ account_id, environment }),
});

const scopeId = (...parts: readonly (string | undefined)[]): string =>
  JSON.stringify(parts.map((part) => part ?? null));

/** Types of one document: each change of a number writes all of it. */
const mostTypes = 200;

/** Counts a resource that is stored, changed or deleted. */
export async function resourceStored(
  tx: Tx,
  before: KnownResource | undefined,
  after: KnownResource | undefined,
): Promise<void> {
  const [from, to] = [before, after].map(
    (one) => one && scopeId(one.provider, one.account_id, one.environment, typeKey(one.type)),
  );
  if (from === to) return;
  if (before) await count(tx, before, -1);
  if (after) await count(tx, after, 1);
}

async function count(tx: Tx, resource: KnownResource, by: 1 | -1): Promise<void> {
  const scope = scopeOf(resource);
  const type = typeKey(resource.type);
  const id = scopeId(scope.provider, scope.account_id, scope.environment);
  const own = scopeId(scope.provider, scope.account_id, scope.environment, type);
  const shared = (await tx.get(scopes, id))?.doc;
  const isShared =
    shared?.types[type] !== undefined ||
    (by === 1 && Object.keys(shared?.types ?? {}).length < mostTypes);
  const before = isShared ? shared : (await tx.get(scopes, own))?.doc;
  const { [type]: n = 0, ...others } = before?.types ?? {};
  const types = n + by > 0 ? { ...others, [type]: n + by } : others;
  const doc: StoredScope = { id: isShared ? id : own, ...scope, types };
  if (!before) await tx.insert(scopes, doc);
  else if (Object.keys(types).length === 0) await tx.remove(scopes, doc.id);
  else await tx.replace(scopes, doc);
}

const severityOf = ({ severity = 'MEDIUM' }: StoredPolicy): Severity => severity;

/** An enabled policy counts from here on, or no longer, until it was evaluated on everything. */
export async function setStanding(
  tx: Tx,
  policy: StoredPolicy,
  state: StoredStanding['state'],
): Promise<void> {
  const { id, resource_type } = policy;
  const before = (await tx.get(standings, id))?.doc;
  const after = { id, state, severity: severityOf(policy), resource_type };
  if (!before) await tx.insert(standings, after);
  else if (!isDeepStrictEqual(before, after)) await tx.replace(standings, after);
}

/** Some outcomes of a policy are not known: none of them counts until it was evaluated again. */
export async function outcomesMissing(tx: Tx, policyId: string): Promise<void> {
  const before = (await tx.get(standings, policyId))?.doc;
  if (before && before.state !== 'pending')
    await tx.replace(standings, { ...before, state: 'pending' });
}

/** Nothing is left of a policy that is disabled or deleted. */
export async function forgetStanding(tx: Tx, policyId: string): Promise<void> {
  if (await tx.get(standings, policyId)) await tx.remove(standings, policyId);
}

/** Removes the outcomes of a resource, but for those of the policies given. */
export async function forgetOutcomes(
  tx: Tx,
  resourceId: string,
  except: ReadonlySet<string>,
): Promise<void> {
  const where = { resource_id: { any: [resourceId] } };
  for await (const { doc } of allRows(tx, outcomes, where)) {
    if (!except.has(doc.policy_id)) await tx.remove(outcomes, doc.id);
  }
}

const scopesAtOnce = 1_000;

/** The numbers of resources by `typeKey`, scope by scope. */
export async function* resourceCounts(
  reader: Reader,
  where: Filters,
): AsyncGenerator<Readonly<Record<string, number>>> {
  let after: Position | undefined;
  for (;;) {
    const page = await reader.page(scopes, {
      where,
      orderBy: 'id',
      direction: 'asc',
      limit: scopesAtOnce,
      ...(after ? { after } : {}),
    });
    for (const { doc } of page.rows) yield doc.types;
    if (!page.hasMore || !page.last) return;
    after = page.last;
    await nextTurn();
  }
}
