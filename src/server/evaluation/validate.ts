import { defined } from '../../contract/defined.ts';
import { nextTurn } from '../next-turn.ts';
import { GovctlError } from '../../contract/errors.ts';
import { ownerTagPrefix, readKeyTag } from '../../contract/key-tag.ts';
import type { PolicyInput } from '../../contract/policies.ts';
import { maxEvaluationsPerRequest } from '../../contract/evaluation.ts';
import type { ValidateAnswer, ValidateInput } from '../../contract/evaluation.ts';
import type { KnownResource } from '../../contract/resources.ts';
import type { Finding } from '../../contract/findings.ts';
import { typeKey } from '../../contract/resources.ts';
import { createPolicySet, findingOf, policiesFor } from '../../engine/evaluate.ts';
import type { EvaluatedPolicy, PolicySet } from '../../engine/evaluate.ts';
import { emptyTally, tally } from '../../engine/score.ts';
import type { Deps } from '../deps.ts';
import {
  concludeInTurns,
  createFindCover,
  exemptionsOf,
  namesOf,
} from '../exemptions/collection.ts';
import type { FindCover, StoredExemption } from '../exemptions/collection.ts';
import { policies } from '../policies/collection.ts';
import { checkConditions, readPolicy } from '../policies/service.ts';
import { completeResource } from '../resources/service.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import type { ByteBody } from '../http/call.ts';
import type { Json } from '../json.ts';
import type { Evaluation } from './evaluation.ts';
import type { Verdicts } from './verdicts.ts';
import { enabledPolicies } from './judge.ts';
import { namedPolicy } from './named-policy.ts';
import type { Asker } from '../threads/threads.ts';
import { TimeUp } from '../threads/time-up.ts';
import { createTurns } from '../threads/turns.ts';

/** Findings between two yields to the event loop: a millisecond or two. */
const perTurn = 1_000;
const bytesPerTurn = 1 << 18;
/** Maximum bytes of the findings in an answer. */
const mostBytes = 64 << 20;

/** Answers of more bytes have a place until they are read: they are kept in memory as a whole. */
const shortAnswer = 1 << 20;
const longAnswers = createTurns(8, 2);
/** Maximum milliseconds that an answer waits for its place. */
const waitWithin = 20_000;

/** @returns gives the place back, which happens by itself when the caller leaves. @throws GovctlError unavailable */
async function placeOfAnswer({ owner, signal }: Asker): Promise<() => void> {
  const giveBack = await longAnswers.take(signal, owner, waitWithin).catch((error: unknown) => {
    throw error instanceof TimeUp ? tooManyAnswers() : error;
  });
  let isHeld = true;
  const leave = (): void => {
    if (isHeld) giveBack();
    isHeld = false;
  };
  signal.addEventListener('abort', leave, { once: true });
  return leave;
}

const tooManyAnswers = (): GovctlError =>
  new GovctlError('unavailable', 'Too many responses of over 1 MiB are still unread', {
    hint: 'Read each response before you send the next request, or use mode: failures.',
    headers: { 'Retry-After': '5' },
  });

const tooMuchToSay = (): GovctlError =>
  new GovctlError(
    'malformed_request',
    `The results for these resources exceed the maximum of ${mostBytes >> 20} MiB`,
    { hint: 'Send the resources in several requests, or use mode: failures.' },
  );

/**
 * Evaluates policies on resources that are in the request, not in the store. Exemptions apply to stored policies, and to
 * policies in the request by name, by key in git, and by the id of the stored policy with that key or name.
 * @returns the answer's JSON, in pieces if it is long
 * @throws GovctlError policy_not_found, policy_condition_invalid, malformed_request if the results are too large,
 * unavailable if the evaluation took too long
 */
export async function validate(
  deps: Deps,
  evaluation: Evaluation,
  asker: Asker,
  { resources: given, mode, ...which }: ValidateInput,
): Promise<Json<ValidateAnswer> | ByteBody> {
  await checkConditions(
    (conditions) => evaluation.check(asker, conditions),
    (which.policies ?? []).map(({ rules }, at) => ({ rules, where: `policies[${at}].` })),
  );
  const resources = given.map(completeResource);
  const types = new Set(resources.map(({ type }) => typeKey(type)));
  const set = await choosePolicies(deps, which, types);
  // Once each: a policy with a pattern is about each of the types. Finding them takes time for each type and pattern.
  const concerned = new Set<EvaluatedPolicy>();
  for (const type of types) {
    for (const policy of policiesFor(set, type)) concerned.add(policy);
    await nextTurn();
    asker.signal.throwIfAborted();
  }
  const evaluations = resources.reduce((sum, { type }) => sum + policiesFor(set, type).length, 0);
  if (evaluations > maxEvaluationsPerRequest) {
    throw new GovctlError(
      'malformed_request',
      `These resources and policies result in ${evaluations} evaluations; the maximum per request is ${maxEvaluationsPerRequest}`,
      { hint: 'Send the resources in several requests.' },
    );
  }
  const now = deps.clock.now();
  const exemptions = new Map<EvaluatedPolicy, readonly StoredExemption[]>();
  for (const policy of concerned) {
    exemptions.set(policy, await exemptionsOf(deps.store, namesOf(policy)));
  }
  const enabledOf = ({ type }: KnownResource) =>
    policiesFor(set, type).filter(({ policy }) => policy.enabled);
  const verdicts = await evaluation.ofGiven(asker, {
    now,
    subjects: resources.map((resource) => ({
      resource,
      rules: enabledOf(resource).map(({ policy }) => policy.rules),
    })),
  });
  const findCover = createFindCover(now);
  const results = createPieces();
  let counted = emptyTally;
  let findings: Finding[] = [];
  let size = 0;
  let turned = 0;
  let leave: (() => void) | undefined;
  try {
    for (const resource of resources) {
      for (const named of policiesFor(set, resource.type)) {
        const finding = await findingBy(verdicts, named, { resource, exemptions, findCover });
        findings.push(finding);
        const isFailure = finding.status !== 'PASS' && finding.status !== 'SKIPPED';
        if (mode !== 'failures' || isFailure) {
          const text = JSON.stringify(finding);
          results.add(text);
          if ((size += Buffer.byteLength(text)) > mostBytes) throw tooMuchToSay();
        }
        if (findings.length < perTurn && size - turned < bytesPerTurn) continue;
        turned = size;
        results.cut();
        counted = tally(counted, findings);
        findings = [];
        if (size > shortAnswer) leave ??= await placeOfAnswer(asker);
        await nextTurn();
        asker.signal.throwIfAborted();
      }
    }
  } catch (error) {
    leave?.();
    throw error;
  }
  const { evaluated, pass, fail, error, exempt } = tally(counted, findings);
  const summary = { evaluated, pass, fail, error, exempt };
  return results.between(`{"summary":${JSON.stringify(summary)},"results":[`, ']}', leave);
}

/** JSON of many items. Long results stay in pieces, because joining and sending one string would block the event loop. */
function createPieces() {
  const pieces: Buffer[] = [];
  let items: string[] = [];
  const cut = (): void => {
    if (items.length === 0) return;
    pieces.push(Buffer.from(`${pieces.length > 0 ? ',' : ''}${items.join()}`));
    items = [];
  };
  return {
    add: (item: string): void => void items.push(item),
    /** Completes the current piece. */
    cut,
    /** @param ended as of `ByteBody` */
    between(before: string, after: string, ended?: () => void): Json<ValidateAnswer> | ByteBody {
      if (pieces.length === 0) return `${before}${items.join()}${after}` as Json<ValidateAnswer>; // valid JSON, as all its parts are
      cut();
      const all = [Buffer.from(before), ...pieces, Buffer.from(after)];
      const size = all.reduce((sum, { length }) => sum + length, 0);
      return {
        type: 'application/json',
        size,
        ...defined({ ended }),
        async *open() {
          yield* all;
        },
      };
    },
  };
}

async function findingBy(
  verdicts: Verdicts,
  named: EvaluatedPolicy,
  {
    resource,
    exemptions,
    findCover,
  }: {
    readonly resource: KnownResource;
    readonly exemptions: ReadonlyMap<EvaluatedPolicy, readonly StoredExemption[]>;
    readonly findCover: FindCover;
  },
): Promise<Finding> {
  if (!named.policy.enabled) return findingOf(named, resource, { status: 'SKIPPED' });
  const verdict = verdicts.of({ rules: named.policy.rules }, resource);
  if (!verdict) throw new Error('a policy was not evaluated');
  const known = exemptions.get(named) ?? [];
  return (await concludeInTurns(findCover, named, resource, verdict, known)).finding;
}

/** The key of a policy from the request, and the id of the stored policy that it stands for. */
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
  { policy_ids: ids, policies: inline }: Omit<ValidateInput, 'resources' | 'mode'>,
  types: ReadonlySet<string>,
): Promise<PolicySet<EvaluatedPolicy>> {
  const chosen: EvaluatedPolicy[] = [];
  for (const policy of inline ?? []) {
    chosen.push({ policy, ...(await identify(deps.store, policy)) });
  }
  for (const id of new Set(ids)) chosen.push(namedPolicy((await readPolicy(deps.store, id)).doc));
  if (!ids && !inline) {
    // Once each: one with a pattern is about several types.
    const byId = new Map<string, EvaluatedPolicy>();
    for (const type of types) {
      for (const { doc } of await enabledPolicies(deps.store, type)) {
        if (!byId.has(doc.id)) byId.set(doc.id, namedPolicy(doc));
      }
      await nextTurn();
    }
    chosen.push(...byId.values());
  }
  return createPolicySet(chosen);
}
