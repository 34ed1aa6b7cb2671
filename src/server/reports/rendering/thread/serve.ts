import { defined } from '../../../../contract/defined.ts';
import { randomBytes } from 'node:crypto';
import type { Blobs, ByteRange } from '../../../store/store.ts';
import { RenderFault } from '../../../../report/formats/render-fault.ts';
import type { renderFile } from '../../../../report/formats/render-file.ts';
import { openModel } from '../stored-model.ts';
import type { Port } from '../../../threads/threads.ts';
import type { FromThread, ToThread } from './messages.ts';

/** Bytes that are handed over at once: renderers write little by little. */
const handedOver = 64 * 1024;

type ThreadPort = Port<ToThread, FromThread>;

/** A thread's side: renders what it is told to, reads the model and hands the file over through its port. */
export function serveRenders(port: ThreadPort, render: typeof renderFile): void {
  const source = remoteBlobs(port);
  const out = createOutput(port);
  // Whoever does not want it any more ends the thread.
  const { signal } = new AbortController();
  port.on('message', (message) => {
    if (message.kind === 'taken') out.taken();
    else if (message.kind !== 'render') source.answer(message);
    else void renderOne(message);
  });

  async function renderOne({ model, options }: ToThread & { kind: 'render' }): Promise<void> {
    const random = (bytes: number): Uint8Array => randomBytes(bytes);
    try {
      const opened = await openModel(source, model);
      const rendered = await render(opened, { ...options, random }, out.write, signal);
      await out.flush();
      port.postMessage({ kind: 'rendered', rendered });
    } catch (error) {
      out.drop();
      port.postMessage(failed(error));
    }
  }
}

function failed(error: unknown): FromThread {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const fault = error instanceof RenderFault;
  return { kind: 'failed', message, fault, ...defined({ stack }) };
}

/** Gathers what is written, and waits for what was handed over to be taken before it hands over more. */
function createOutput(port: ThreadPort) {
  let parts: Uint8Array[] = [];
  let length = 0;
  let wake: (() => void) | undefined;
  const flush = async (): Promise<void> => {
    if (length === 0) return;
    // A copy of its own: renderers may go on with the memory of theirs.
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    [parts, length] = [[], 0];
    const taken = new Promise<void>((resolve) => (wake = resolve));
    port.postMessage({ kind: 'chunk', bytes }, [bytes.buffer]);
    await taken;
  };
  return {
    async write(chunk: Uint8Array): Promise<void> {
      parts.push(chunk);
      length += chunk.length;
      if (length >= handedOver) await flush();
    },
    flush,
    drop: () => void ([parts, length] = [[], 0]),
    taken: () => wake?.(),
  };
}

type Answer = Exclude<ToThread, { kind: 'render' | 'taken' }>;

/** Blobs that are read through the port, a chunk at a time, as it is asked for. */
function remoteBlobs(port: ThreadPort) {
  let reads = 0;
  const waiting = new Map<number, (answer: Answer) => void>();
  const ask = (message: FromThread & { read: number }): Promise<Answer> =>
    new Promise((resolve) => {
      waiting.set(message.read, resolve);
      port.postMessage(message);
    });
  async function* read(id: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const mine = (reads += 1);
    let ended = false;
    try {
      let answer = await ask({ kind: 'read', read: mine, id, ...(range ? { range } : {}) });
      while (answer.kind === 'bytes') {
        yield answer.bytes;
        answer = await ask({ kind: 'next', read: mine });
      }
      ended = true;
      if (answer.kind === 'unreadable') throw new Error(answer.message);
    } finally {
      if (!ended) port.postMessage({ kind: 'close', read: mine });
    }
  }
  return {
    read: read satisfies Blobs['read'],
    answer(message: Answer): void {
      const resolve = waiting.get(message.read);
      waiting.delete(message.read);
      resolve?.(message);
    },
  };
}
