import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../contract/defined.ts';
import { nextTurn } from '../next-turn.ts';
import { maxObjectBytes } from '../../contract/endpoint.ts';
import { GovctlError, reword } from '../../contract/errors.ts';
import { maxLinesShown, maxRejected, unfitForJson } from '../../contract/resources.ts';
import type { ImportAnswer, KnownResource } from '../../contract/resources.ts';
import type { BodyChecks } from '../http/bodies/body-checks.ts';
import type { Actor } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { createJudge } from '../evaluation/judge.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { readPending } from '../evaluation/pending.ts';
import { evaluateAndWrite } from '../evaluation/retry.ts';
import type { Verdicts } from '../evaluation/verdicts.ts';
import type { Asker } from '../threads/threads.ts';
import { resources } from './collection.ts';
import { cutOff, readLines, uncut } from '../lines.ts';
import type { Line } from '../lines.ts';
import { completeResource, isOlder, subjectsOf, upsertResources } from './service.ts';
import { inThrees } from '../../contract/in-threes.ts';

/** Resources, bytes of their lines, and tags that go into one transaction. */
const batchSize = 200;
const batchBytes = 1 << 20;
const batchTags = 10_000;

/** Bytes that are read between two turns of others: some milliseconds. A line costs as much as so many, however short. */
const bytesPerTurn = 65_536;
const bytesOfAnyLine = 128;
/** Saying what is wrong with a line takes some ten times as long as finding it right. */
const bytesOfRejected = 1_024;

/** Characters of an id that a rejected line is shown with. */
const shownOfId = 200;

export interface ImportOptions {
  readonly actor: Actor;
  readonly asker: Asker;
  readonly body: AsyncIterable<Uint8Array>;
  /** It is read to its end, and nothing is stored. */
  readonly readOnly: boolean;
}

/**
 * Reads resources as they come, one a line, and stores them batch by batch: each is durable before the next is read,
 * so memory holds no more than one, and the sender is slowed down to what is stored.
 * @throws GovctlError malformed_request where the stream breaks off or stalls, body_too_large, invalid_resource where too
 *   many lines are rejected; what came before is stored
 */
export async function importResources(
  deps: Deps,
  { evaluation, bodies }: { readonly evaluation: Evaluation; readonly bodies: BodyChecks },
  { actor, asker, body, readOnly }: ImportOptions,
): Promise<ImportAnswer> {
  const answer = emptyAnswer();
  let batch: KnownResource[] = [];
  /** The line of each id. In the inventory an id is one resource. */
  const lineOf = new Map<string, number>();
  let bytes = 0;
  let tags = 0;
  const store = async (): Promise<void> => {
    let rest = batch;
    [batch, bytes, tags] = [[], 0, 0];
    if (readOnly) return;
    /** Stores the first of the rest in one transaction. @returns how many */
    const storeSome = async (verdicts: Verdicts, atLeast: number): Promise<number> => {
      // The first transaction that changes something says so in the audit log for all of them.
      const isAudited = answer.created + answer.updated > 0;
      const {
        counts: { created, updated, unchanged },
        older,
      } = await deps.store.transact(
        (tx) =>
          upsertResources(createJudge(deps, tx), isAudited ? undefined : actor, {
            given: rest,
            verdicts,
            atLeast,
            keepNewer: true,
          }),
        asker.owner,
      );
      answer.created += created;
      answer.updated += updated;
      answer.unchanged += unchanged;
      for (const id of older) sayOlder(id, lineOf.get(id) ?? 0);
      const done = created + updated + unchanged + older.length;
      rest = rest.slice(done);
      return done;
    };
    while (rest.length > 0) {
      await evaluateAndWrite(
        { evaluation, clock: deps.clock },
        asker,
        () => subjectsOf(deps.store, rest),
        async (verdicts) => {
          // Where the budget ended the evaluation, the next one goes on; each stores one resource at least.
          let stored = await storeSome(verdicts, 1);
          while (stored > 0 && rest.length > 0) stored = await storeSome(verdicts, 0);
        },
      );
    }
  };
  /** What an earlier line said of an id: it is in the batch, or stored. */
  const saidBefore = async (id: string): Promise<KnownResource | undefined> =>
    batch.find((one) => one.id === id) ?? (await deps.store.get(resources, id))?.doc.resource;
  const sayOlder = (id: string, line: number): void => {
    answer.older += 1;
    if (answer.older_lines.length === maxLinesShown) return;
    answer.older_lines.push({ line, id: id.slice(0, shownOfId) });
  };
  const compare = async (
    read: Read,
    line: number,
  ): Promise<Read | 'copy' | { readonly older: string }> => {
    if ('reason' in read || readOnly) return read;
    const { id } = read.resource;
    const first = lineOf.get(id);
    const before = first === undefined ? undefined : await saidBefore(id);
    if (first === undefined || before === undefined) {
      lineOf.set(id, line);
      return read;
    }
    if (isDeepStrictEqual(before, read.resource)) return 'copy';
    if (isOlder(read.resource, before)) return { older: id };
    const reason = `has the ID of line ${first}, but different content`;
    return { line, id: id.slice(0, shownOfId), reason };
  };
  try {
    let spent = 0;
    for await (const line of readLines(uncut(body), maxObjectBytes)) {
      spent += bytesOfAnyLine + line.bytes;
      if (spent >= bytesPerTurn) {
        await nextTurn();
        spent = 0;
      }
      if (line.text?.trim() === '') continue;
      answer.lines += 1;
      const read = await compare(await readLine(line, bodies, asker), line.number);
      if (read === 'copy') {
        answer.unchanged += 1;
        continue;
      }
      if ('older' in read) {
        sayOlder(read.older, line.number);
        continue;
      }
      if ('reason' in read) {
        answer.rejected += 1;
        spent += bytesOfRejected;
        if (answer.rejected_lines.length < maxLinesShown) answer.rejected_lines.push(read);
        if (answer.rejected >= maxRejected) break;
        continue;
      }
      batch.push(read.resource);
      bytes += line.bytes;
      tags += Object.keys(read.resource.tags).length;
      if (batch.length >= batchSize || bytes >= batchBytes || tags >= batchTags) await store();
    }
    await store();
    if (answer.rejected >= maxRejected) throw tooManyRejected(answer);
  } catch (error) {
    if (!(error instanceof GovctlError) || isTooManyRejected(error)) throw error;
    const stored = answer.created + answer.updated + answer.unchanged;
    const soFar = `after ${answer.lines} lines; ${stored} resources are stored`;
    const pause = error.message === cutOff ? '' : ',';
    throw reword(error, { message: `${error.message}${pause} ${soFar}` });
  }
  return {
    ...answer,
    ...defined({ pending: await readPending(deps.store, deps.clock.now(), asker.signal) }),
  };
}

const emptyAnswer = () => ({
  lines: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  rejected_lines: [] as { line: number; id?: string; reason: string }[],
  older: 0,
  older_lines: [] as { line: number; id: string }[],
});

const isTooManyRejected = (error: unknown): boolean =>
  error instanceof GovctlError && error.error === 'invalid_resource';

/** The sender sends something else than resources: reading on would help nobody. */
function tooManyRejected(answer: ImportAnswer): GovctlError {
  const { lines, rejected, created, updated, unchanged, rejected_lines: shown } = answer;
  return new GovctlError(
    'invalid_resource',
    `Import stopped: ${inThrees(rejected)} of the first ${inThrees(lines)} lines are not valid resources. Resources stored: ${inThrees(created + updated + unchanged)}; the rest was not read`,
    {
      details: shown.map(({ line, reason }) => ({ field: `line ${line}`, message: reason })),
      extra: { lines, created, updated, unchanged, rejected },
    },
  );
}

type Read =
  | { readonly resource: KnownResource }
  | { readonly line: number; readonly id?: string; readonly reason: string };

async function readLine(
  { number, text, problem }: Line,
  bodies: BodyChecks,
  asker: Asker,
): Promise<Read> {
  if (text === undefined) return { line: number, reason: problem ?? 'cannot be read' };
  const read = await bodies.readLine(text, asker);
  if (!read.ok) {
    const { column, message } = read.problem;
    const place = column === undefined ? '' : `column ${column}: `;
    return { line: number, reason: place + message };
  }
  const unfit = unfitForJson(read.resource);
  if (unfit === undefined) {
    // Read from JSON, in which nothing is unknown.
    return { resource: completeResource(read.resource as KnownResource) };
  }
  return { line: number, id: read.resource.id.slice(0, shownOfId), reason: unfit };
}
