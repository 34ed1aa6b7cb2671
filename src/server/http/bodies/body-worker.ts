import { parentPort } from 'node:worker_threads';
import { contract } from '../../../contract/contract.ts';
import type { Contract } from '../../../contract/endpoint.ts';
import type { WireErrorName } from '../../../contract/errors.ts';
import { GovctlError } from '../../../contract/errors.ts';
import { checkBody } from './check-body.ts';
import { readSentLine } from './read-sent-line.ts';
import { takeApart } from './hand-over.ts';
import type { Slice } from './hand-over.ts';
import type { FromThread, ToThread } from './messages.ts';
import { giveWay } from '../../threads/give-way.ts';

giveWay();

const nouns: Contract = contract;
let slices: Generator<Slice> | undefined;

/** The entry point of a body thread: receives bodies and lines, posts their values. */
parentPort?.on('message', (message: ToThread) => parentPort?.postMessage(answerTo(message)));

function answerTo(message: ToThread): FromThread {
  if (message === 'next') {
    const next = slices?.next();
    if (!next || next.done === true) throw new Error('there is no further slice');
    return { slice: next.value };
  }
  if ('line' in message) return { line: readSentLine(message.line) };
  const { noun, verb, bytes, type } = message;
  const endpoint = nouns[noun]?.[verb];
  if (!endpoint) throw new Error(`there is no endpoint ${noun}.${verb}`);
  try {
    const { body, text } = checkBody(
      endpoint,
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
      type,
    );
    const taken = takeApart(body);
    ({ slices } = taken);
    return { shell: taken.shell, text };
  } catch (error) {
    if (!(error instanceof GovctlError)) throw error;
    // Body checks only throw errors with a wire name.
    const name = error.error as WireErrorName;
    return { refused: { error: name, message: error.message, details: error.details } };
  }
}
