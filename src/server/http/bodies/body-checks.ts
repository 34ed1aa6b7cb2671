import { availableParallelism } from 'node:os';
import type { Contract } from '../../../contract/endpoint.ts';
import { contract } from '../../../contract/contract.ts';
import { GovctlError } from '../../../contract/errors.ts';
import type { LineRead } from '../../../inventory/formats/native/read-line.ts';
import { ask, createThreadPool, workerFile } from '../../threads/threads.ts';
import type { Asker, Port } from '../../threads/threads.ts';
import { createTurns } from '../../threads/turns.ts';
import type { SentBody } from '../body.ts';
import { checkBody, smallBody } from './check-body.ts';
import type { CheckedBody } from './check-body.ts';
import { readSentLine } from './read-sent-line.ts';
import { putTogether } from './hand-over.ts';
import type { FromThread, ToThread } from './messages.ts';

/** Parses and validates bodies; large ones in threads, so that they do not block the event loop. */
export interface BodyChecks {
  /** @throws GovctlError malformed_request, body_too_large, or the endpoint's `invalid_…` */
  check(
    noun: string,
    verb: string,
    sent: SentBody,
    asker: () => Asker,
  ): CheckedBody | Promise<CheckedBody>;
  /** Reads a line of an import. */
  readLine(line: string, asker: Asker): LineRead | Promise<LineRead>;
  /** Terminates the threads. */
  close(): Promise<void>;
}

/** Maximum number of threads; leaves a core for the main thread if it can. */
const most = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Maximum heap of a thread in MiB; 10 MiB of JSON take at most 700. */
const heapOfThread = 1_024;
/** Milliseconds that an idle thread is kept, because starting one takes time. */
const keptIdle = 30_000;

/** Maximum milliseconds to wait for a turn, and for each answer of a thread. */
const within = 30_000;

const nouns: Contract = contract;

const explain = (cause: Error): GovctlError =>
  new GovctlError('unavailable', 'The body cannot be checked at the moment; try again', {
    headers: { 'Retry-After': '1' },
    cause,
  });

/** @param file the threads' entry point; if undefined, all bodies are checked in the main thread */
export function createBodyChecks(file: URL | undefined = workerFile('body-worker')): BodyChecks {
  const here = (noun: string, verb: string, { bytes, type }: SentBody): CheckedBody => {
    const endpoint = nouns[noun]?.[verb];
    if (!endpoint) throw new Error(`there is no endpoint ${noun}.${verb}`);
    return checkBody(endpoint, bytes, type);
  };
  if (!file) {
    return { check: here, readLine: (line) => readSentLine(line), close: async () => {} };
  }
  const pool = createThreadPool<FromThread, ToThread>({ file, mostMemory: heapOfThread, keptIdle });
  const turns = createTurns(most);
  const inThread = <T>(
    asker: Asker,
    work: (port: Port<FromThread, ToThread>, ended: AbortSignal) => Promise<T>,
  ): Promise<T> => pool.use({ ...asker, turns, within, isEnded: true, explain }, work);
  return {
    check(noun, verb, sent, asker) {
      if (sent.bytes.length <= smallBody) return here(noun, verb, sent);
      return inThread(asker(), async (port, ended) => {
        const { bytes, type } = sent;
        const answer = await ask(port, ended, { noun, verb, bytes, type }, within);
        if ('refused' in answer) {
          const { error, message, details } = answer.refused;
          return { refused: new GovctlError(error, message, { details }) };
        }
        if (!('shell' in answer)) throw new Error('the thread returned no body');
        const whole = putTogether(answer.shell);
        while (!whole.isWhole()) {
          const next = await ask(port, ended, 'next', within);
          if (!('slice' in next)) throw new Error('the thread returned no slice');
          whole.add(next.slice);
        }
        return { body: whole.body, text: answer.text };
      }).then((checked) => {
        // Thrown out here, as an error in `work` would terminate the thread.
        if ('refused' in checked) throw checked.refused;
        return checked;
      });
    },
    readLine(line, asker) {
      if (line.length <= smallBody) return readSentLine(line);
      return inThread(asker, async (port, ended) => {
        const answer = await ask(port, ended, { line }, within);
        if (!('line' in answer)) throw new Error('the thread returned no line');
        return answer.line;
      });
    },
    close: pool.close,
  };
}
