import type { Client } from '../../client/client.ts';
import { listAllPolicies } from '../../client/policies.ts';
import type { ChangeAnswer } from '../../client/policy-changes.ts';
import {
  createPolicy,
  deletePolicy,
  readPolicy,
  updatePolicy,
} from '../../client/policy-changes.ts';
import { retryDelay } from '../../client/retry.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Policy } from '../../contract/policies.ts';
import { stateFingerprint } from '../compare/fingerprint.ts';
import type { Step } from '../plan/order.ts';
import { temporaryName } from '../plan/order.ts';
import { readOwnership } from '../compare/ownership.ts';
import type { Change, PolicyDocument } from '../plan/plan.ts';
import { updateBody } from '../plan/plan.ts';

/** What sending needs to know and remember. */
export interface Sending {
  readonly client: Client;
  readonly project: string;
  /** The newest ETag seen of each policy id. */
  readonly etags: Map<string, string>;
  readonly sleep: (ms: number) => Promise<void>;
}

const createTries = 5;
const noAnswer: ChangeAnswer = { policy: undefined, etag: undefined };

/** Makes one change of a plan, once, whatever happens on the way. @throws GovctlError when it was not made */
export async function sendStep(sending: Sending, { change, kind }: Step): Promise<ChangeAnswer> {
  const { id, before, after } = change;
  if (after && id === null) return createOnce(sending, change, after);
  if (id === null) throw new TypeError(`${change.key}: a ${change.action} needs an id`);
  if (!after) {
    await deletePolicy(sending.client, id, ifMatch(sending, id));
    return noAnswer;
  }
  const wanted = kind === 'aside' ? { ...(before ?? after), name: temporaryName(change) } : after;
  const body = kind === 'aside' ? { name: wanted.name } : updateBody(before ?? after, after);
  return updateOnce(sending, id, body, wanted);
}

function ifMatch({ etags }: Sending, id: string): { ifMatch?: string } {
  const etag = etags.get(id);
  return etag === undefined ? {} : { ifMatch: etag };
}

async function updateOnce(
  sending: Sending,
  id: string,
  body: Readonly<Record<string, unknown>>,
  wanted: PolicyDocument,
): Promise<ChangeAnswer> {
  try {
    const answer = await updatePolicy(sending.client, id, body, ifMatch(sending, id));
    // What we knew of it is old now.
    if (answer.etag === undefined) sending.etags.delete(id);
    else sending.etags.set(id, answer.etag);
    return answer;
  } catch (error) {
    if (!(error instanceof GovctlError)) throw error;
    if (error.error === 'precondition_failed') {
      // A first try that was cut off may have done it: then the ETag is stale because of us.
      const live = await readPolicy(sending.client, id);
      if (live && stateFingerprint(live.policy) === stateFingerprint(wanted)) return live;
    }
    throw withNullHint(error, body);
  }
}

/** Clearing a field takes a null, and not every server knows that. */
function withNullHint(error: GovctlError, body: Readonly<Record<string, unknown>>): GovctlError {
  const cleared = Object.keys(body).filter((field) => body[field] === null);
  if (error.status !== 400 || cleared.length === 0) return error;
  return new GovctlError(error.error, error.message, {
    details: error.details,
    status: 400,
    ...(error.requestId ? { requestId: error.requestId } : {}),
    hint: `The request clears ${cleared.join(', ')} with null, which this server may not take. Set a value in the file instead, or clear it on the server.`,
    cause: error,
  });
}

/**
 * A creation that got no clear answer may have worked, and a server without idempotency keys would make a second
 * one: so it is looked for before it is sent again.
 */
async function createOnce(
  sending: Sending,
  change: Change,
  after: PolicyDocument,
): Promise<ChangeAnswer> {
  const idempotencyKey = crypto.randomUUID();
  for (let attempt = 1; ; attempt++) {
    try {
      return await createPolicy(sending.client, after, { idempotencyKey });
    } catch (error) {
      if (!(error instanceof GovctlError) || !mayHaveWorked(error)) throw error;
      const created = await findCreated(sending, change, after);
      if (created && created !== 'unknown') return { policy: created, etag: undefined };
      if (created === 'unknown' || attempt === createTries || !maySendAgain(error)) throw error;
      await sending.sleep(retryDelay(attempt, undefined, Math.random));
    }
  }
}

/** No answer, a broken one, or "the name is taken", which may mean: by our own first try. */
const mayHaveWorked = (error: GovctlError): boolean =>
  error.error === 'bad_answer' || error.status === 409 || maySendAgain(error);

/** 503 is none of them: the client has tried that often enough already, as it surely did nothing. */
const maySendAgain = ({ error, status }: GovctlError): boolean =>
  error === 'unreachable' ||
  (error !== 'bad_answer' && status !== null && status >= 500 && status !== 503);

/** `unknown`: it could not be looked for, so sending again might make a second one. */
async function findCreated(
  { client, project }: Sending,
  change: Change,
  after: PolicyDocument,
): Promise<Policy | 'unknown' | undefined> {
  try {
    for await (const policy of listAllPolicies(client)) {
      const { owner, key } = readOwnership(policy.tags ?? []);
      if (owner !== project || key !== change.key) continue;
      if (stateFingerprint(policy) === stateFingerprint(after)) return policy;
    }
  } catch {
    // The creation's own error says more than that it could not be looked for.
    return 'unknown';
  }
  return undefined;
}
