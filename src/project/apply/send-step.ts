import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import type { ObjectAnswer } from '../../client/objects.ts';
import { createObject, deleteObject, readObject, updateObject } from '../../client/objects.ts';
import { retryDelay } from '../../client/retry.ts';
import type { ApplySource } from '../../contract/apply-source.ts';
import { GovctlError, reword } from '../../contract/errors.ts';
import { readOwnership } from '../compare/ownership.ts';
import type { Body, Kind, LiveItem, Secrets } from '../kinds/kind.ts';
import { kindOf } from '../kinds/kinds.ts';
import type { Change } from '../plan/change.ts';
import { updateBody } from '../plan/change.ts';
import type { Step } from '../plan/order.ts';
import { temporaryName } from '../plan/order.ts';
import { isAsWanted } from './recheck.ts';

/** What sending needs to know and remember. */
export interface Sending {
  readonly client: Client;
  readonly project: string;
  readonly secrets: Secrets;
  readonly source: ApplySource | undefined;
  /** The newest ETag seen of each id. */
  readonly etags: Map<string, string>;
  /** What was live when it was read again. */
  readonly live: ReadonlyMap<string, LiveItem>;
  readonly sleep: (ms: number) => Promise<void>;
}

type Answer = ObjectAnswer<LiveItem>;

const createTries = 5;
const noAnswer: Answer = { item: undefined, etag: undefined };

/** Makes one change of a plan, once, whatever happens on the way. @throws GovctlError when it was not made */
export async function sendStep(sending: Sending, { change, kind: part }: Step): Promise<Answer> {
  const { id, key, before, after } = change;
  const kind = kindOf(change);
  if (after && id === null) return createKnowing(sending, kind, change, after);
  if (id === null) throw new TypeError(`${key}: a ${change.action} requires an ID`);
  if (!after) {
    await deleteObject(sending.client, kind.objects, id, {
      source: sending.source,
      ...ifMatch(sending, id),
    });
    return noAnswer;
  }
  if (part === 'aside') {
    const name = temporaryName(change);
    const wanted = { ...(before ?? after), name };
    return updateOnce(sending, { kind, key, id, body: { name }, wanted });
  }
  const real = kind.reveal(key, after, sending.live.get(id), sending.secrets);
  const body = updateBody(kind, before ?? after, after, real);
  return updateOnce(sending, { kind, key, id, body, wanted: after });
}

function ifMatch({ etags }: Sending, id: string): { ifMatch?: string } {
  const etag = etags.get(id);
  return etag === undefined ? {} : { ifMatch: etag };
}

interface UpdateOf {
  readonly kind: Kind;
  readonly key: string;
  readonly id: string;
  readonly body: Body;
  /** What it is to be then, as the plan holds it. */
  readonly wanted: Body;
}

async function updateOnce(
  sending: Sending,
  { kind, key, id, body, wanted }: UpdateOf,
): Promise<Answer> {
  const { client, secrets, source, etags } = sending;
  try {
    const answer = await updateObject(client, kind.objects, {
      id,
      body,
      source,
      ...ifMatch(sending, id),
    });
    // What we knew of it is old now.
    if (answer.etag === undefined) etags.delete(id);
    else etags.set(id, answer.etag);
    return answer;
  } catch (error) {
    if (!(error instanceof GovctlError)) throw error;
    if (error.error === 'precondition_failed') {
      // A first try that was cut off may have done it: then the ETag is stale because of us.
      const live = await readObject(client, kind.objects, id);
      if (live && isAsWanted({ kind, secrets }, key, wanted, live.item)) return live;
    }
    throw withNullHint(error, body);
  }
}

/** Clearing a field takes a null, and not every server knows that. */
function withNullHint(error: GovctlError, body: Body): GovctlError {
  const cleared = Object.keys(body).filter((field) => body[field] === null);
  if (error.status !== 400 || cleared.length === 0) return error;
  return reword(error, {
    hint: `The request clears ${cleared.join(', ')} with null, which this server may not accept. Set a value in the file instead, or clear it on the server.`,
  });
}

/** A service that refuses what only ours takes is asked again without it. */
async function createKnowing(
  sending: Sending,
  kind: Kind,
  change: Change,
  after: Body,
): Promise<Answer> {
  try {
    return await createOnce(sending, kind, change, after);
  } catch (error) {
    const plain = kind.withoutExtensions(after);
    const isSmaller = plain && Object.keys(plain).length < Object.keys(after).length;
    if (!isSmaller || !mayBeAboutExtensions(error, plain)) throw error;
    // Where that is refused too, what is wrong is another thing, and the first answer says it as well.
    return createOnce(sending, kind, change, plain).catch((second: unknown) => {
      throw second instanceof GovctlError && second.status !== 400 ? second : error;
    });
  }
}

/** A 400 that names fields, and all of them others, is about those. */
const mayBeAboutExtensions = (error: unknown, plain: Body): boolean =>
  error instanceof GovctlError &&
  error.status === 400 &&
  (error.details.length === 0 ||
    error.details.some(({ field }) => !Object.hasOwn(plain, /^\w*/.exec(field)?.[0] ?? '')));

/**
 * A creation that got no clear answer may have worked, and a server without idempotency keys would make a second
 * one: so it is looked for before it is sent again.
 */
async function createOnce(
  sending: Sending,
  kind: Kind,
  change: Change,
  after: Body,
): Promise<Answer> {
  const idempotencyKey = crypto.randomUUID();
  const body = kind.reveal(change.key, after, undefined, sending.secrets);
  for (let attempt = 1; ; attempt++) {
    try {
      return await createObject(sending.client, kind.objects, body, {
        idempotencyKey,
        source: sending.source,
      });
    } catch (error) {
      if (!(error instanceof GovctlError) || !mayHaveWorked(error)) throw error;
      const created = await findCreated(sending, kind, change, after);
      if (created && created !== 'unknown') return { item: created, etag: undefined };
      if (created === 'unknown' || attempt === createTries || !maySendAgain(error)) throw error;
      await sending.sleep(retryDelay(attempt, undefined, Math.random));
    }
  }
}

/** No answer, a broken one, or "the name is taken", which may mean: by our own first try. */
const mayHaveWorked = (error: GovctlError): boolean =>
  error.error === 'bad_answer' ||
  error.status === 409 ||
  error.status === 412 ||
  maySendAgain(error);

/** 503 is none of them: the client has tried that often enough already, as it surely did nothing. */
const maySendAgain = ({ error, status }: GovctlError): boolean =>
  error === 'unreachable' ||
  (error !== 'bad_answer' && status !== null && status >= 500 && status !== 503);

/** `unknown`: it could not be looked for, so sending again might make a second one. */
async function findCreated(
  { client, project, secrets }: Sending,
  kind: Kind,
  change: Change,
  after: Body,
): Promise<LiveItem | 'unknown' | undefined> {
  try {
    for await (const item of listAll(client, kind.objects)) {
      if (!isCreated(kind, project, change, item)) continue;
      // Where it is known by its identity alone, there was none of it when the plan was made.
      const isKnownByTags = readOwnership(item.tags ?? []).owner !== undefined;
      if (!isKnownByTags || isAsWanted({ kind, secrets }, change.key, after, item)) return item;
    }
  } catch {
    // The creation's own error says more than that it could not be looked for.
    return 'unknown';
  }
  return undefined;
}

/** Whether an object may be what a change created: by its tags, by its identity where a service keeps none. */
export function isCreated(kind: Kind, project: string, change: Change, item: LiveItem): boolean {
  if (item.tags === undefined && change.after && kind.withoutExtensions(change.after)) {
    return kind.identityOf(item) === kind.identityOf(change.after);
  }
  const { owner, key } = readOwnership(item.tags ?? []);
  return owner === project && key === change.key;
}
