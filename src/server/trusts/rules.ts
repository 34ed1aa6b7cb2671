import { scopes as allScopes } from '../../contract/endpoint.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { defined } from '../../contract/defined.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { trimEnd } from '../../contract/trim-end.ts';
import { ciDefaults, ciEvents, forkEvents } from '../../contract/trusts.ts';
import type { TrustInput, TrustUpdate } from '../../contract/trusts.ts';
import { recordAudit } from '../audit/service.ts';
import { accessTokens } from '../auth/collection.ts';
import { makerOf } from '../auth/service.ts';
import type { Awaitable } from '../awaitable.ts';
import { whenKnown } from '../awaitable.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import type { Call } from '../http/call.ts';
import { refuseWider } from '../http/insufficient-scope.ts';
import { checkSameId, invalidBody, invalidField } from '../http/invalid-body.ts';
import { targetFault } from '../outbound/target.ts';
import type { Targets } from '../outbound/target.ts';
import { allRows, countRows } from '../store/all-rows.ts';
import { removeFew } from '../store/remove-rows.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { trustStates, trusts } from './collection.ts';
import type { StoredTrust } from './collection.ts';

const mostTrusts = 1_000;

type Caller = Pick<Call, 'actor' | 'checkMatch' | 'principal'>;

/** @throws GovctlError trust_not_found */
export const readTrust = (reader: Reader, id: string): Awaitable<Versioned<StoredTrust>> =>
  whenKnown(reader.get(trusts, id), (found) => {
    if (found) return found;
    throw new GovctlError('trust_not_found', `There is no trust rule ${id.slice(0, 100)}`, {
      hint: 'Use the ID of a trust rule. To list trust rules, run `govctl trust list`.',
    });
  });

const invalid = (field: string, message: string): GovctlError =>
  invalidField('invalid_trust', field, message);

/**
 * The issuer of a rule, in the spelling of its tokens. Call it before the transaction: its host is looked up.
 * @throws GovctlError invalid_trust unless the server may ask it for keys
 */
export async function checkIssuer(
  { provider, issuer }: TrustInput,
  targets: Targets,
): Promise<string> {
  if (issuer === undefined) return ciDefaults[provider].issuer;
  const fault =
    (await targetFault(issuer, targets)) ??
    (issuer.includes('?') ? 'must not contain a query (?…)' : undefined);
  if (fault !== undefined) throw invalid('issuer', fault);
  return trimEnd(issuer, '/');
}

/** @throws GovctlError invalid_trust, insufficient_scope */
export async function createTrust(
  deps: Deps,
  tx: Tx,
  { actor, principal }: Caller,
  { issuer, ...input }: TrustInput & { readonly issuer: string },
): Promise<Versioned<StoredTrust>> {
  refuseWider(principal, input.scopes, 'A trust rule');
  if ((await countRows(tx, trusts)) >= mostTrusts) {
    const message = `The service has ${inThrees(mostTrusts)} trust rules, which is the maximum`;
    throw new GovctlError('invalid_trust', message, { hint: 'Delete rules that no job uses.' });
  }
  const at = timestamp(deps.clock.now());
  const { repository_id, ref, environment } = input;
  const rule: StoredTrust = {
    id: deps.ids.next('trust'),
    name: input.name,
    provider: input.provider,
    issuer,
    repository: input.repository,
    ...defined({ repository_id, ref, environment }),
    events: [...new Set(input.events ?? ciDefaults[input.provider].events)],
    allow_pull_request_target: input.allow_pull_request_target ?? false,
    scopes: inOrder(input.scopes),
    user_id: deps.ids.next('user'),
    ...makerOf(principal),
    created_at: at,
    updated_at: at,
  };
  checkRule(rule);
  const stored = await tx.insert(trusts, rule);
  await tx.insert(trustStates, { id: rule.id });
  await recordAudit(deps, tx, actor, 'trust.create', rule.id);
  return stored;
}

/**
 * Whoever changes whom a rule lets in, or what for, vouches for all of it: they must have its scopes, before and after, and it
 * is bound to them from now on. The tokens that the rule has given end.
 * @throws GovctlError trust_not_found, invalid_trust, insufficient_scope, or what `checkMatch` throws
 */
export async function updateTrust(
  deps: Deps,
  tx: Tx,
  call: Caller,
  { id, update }: { readonly id: string; readonly update: TrustUpdate },
): Promise<Versioned<StoredTrust>> {
  const stored = await readTrust(tx, id);
  const before = stored.doc;
  call.checkMatch(stored.revision);
  checkSameId('invalid_trust', 'trust rule', id, update.id);
  for (const field of ['provider', 'issuer'] as const) {
    if (update[field] === undefined || update[field] === before[field]) continue;
    throw invalid(field, 'cannot be changed; omit the field, or create another trust rule');
  }
  const { name, repository, repository_id, ref, environment, events, scopes } = update;
  const given = defined({
    name,
    repository,
    repository_id,
    ref,
    environment,
    events: events && [...new Set(events)],
    allow_pull_request_target: update.allow_pull_request_target,
    scopes: scopes && inOrder(scopes),
  });
  const after = withoutAbsent({ ...before, ...given }) as StoredTrust; // what null clears is optional
  const changed = (Object.keys(given) as (keyof typeof given & keyof StoredTrust)[]).filter(
    (field) => JSON.stringify(after[field]) !== JSON.stringify(before[field]),
  );
  if (changed.length === 0) return stored;
  checkRule(after);
  const isRenamed = changed.every((field) => field === 'name');
  if (!isRenamed) {
    refuseWider(call.principal, before.scopes, 'Updating a trust rule');
    refuseWider(call.principal, after.scopes, 'A trust rule');
    await endTokens(tx, id);
  }
  const maker = isRenamed ? {} : { bound_to: undefined, ...makerOf(call.principal) };
  const updated = await tx.replace(
    trusts,
    withoutAbsent({
      ...after,
      ...maker,
      updated_at: updatedAfter(before.updated_at, deps.clock.now()),
    }) as StoredTrust,
  );
  await recordAudit(deps, tx, call.actor, 'trust.update', id, changed);
  return updated;
}

/** @throws GovctlError trust_not_found, or what `checkMatch` throws */
export async function deleteTrust(deps: Deps, tx: Tx, call: Caller, id: string): Promise<void> {
  const { revision } = await readTrust(tx, id);
  call.checkMatch(revision);
  await removeTrust(tx, id);
  await endTokens(tx, id);
  await recordAudit(deps, tx, call.actor, 'trust.delete', id);
}

/** Removes a rule, and what is stored beside it. */
export async function removeTrust(tx: Tx, id: string): Promise<void> {
  await tx.remove(trusts, id);
  await tx.remove(trustStates, id);
}

/** Gives rules of earlier versions a state. */
export async function deriveStates(tx: Tx): Promise<void> {
  for await (const { doc } of allRows(tx, trusts, {})) {
    if (!(await tx.get(trustStates, doc.id))) await tx.insert(trustStates, { id: doc.id });
  }
}

const endTokens = (tx: Tx, id: string): Promise<number> =>
  removeFew(tx, accessTokens, { client_id: { any: [id] } });

/** @throws GovctlError invalid_trust for fields that do not fit each other */
function checkRule({ provider, repository, ref, environment, ...rule }: StoredTrust): void {
  const details: ErrorDetail[] = [];
  if (provider === 'github' && repository.split('/').length !== 2) {
    details.push({ field: 'repository', message: 'must be owner/name, such as acme/policies' });
  }
  if (ref === undefined && environment === undefined) {
    const message = 'must be set, or environment: without both, every branch could log in';
    details.push({ field: 'ref', message });
  }
  for (const event of rule.events.filter((name) => !ciEvents[provider].includes(name))) {
    const meant = nearestWord(event, ciEvents[provider]);
    if (meant === undefined) continue;
    details.push({
      field: 'events',
      message: `must be events of ${provider}: ${event} is not one; did you mean ${meant}?`,
    });
  }
  const risky = forkEvents[provider];
  if (rule.events.includes(risky) && !rule.allow_pull_request_target) {
    const message = `must not include ${risky}, whose jobs may run the code of forks, unless allow_pull_request_target is true`;
    details.push({ field: 'events', message });
  }
  if (details.length > 0) throw invalidBody('invalid_trust', details);
}

const inOrder = (given: readonly Scope[]): readonly Scope[] =>
  allScopes.filter((scope) => given.includes(scope));
