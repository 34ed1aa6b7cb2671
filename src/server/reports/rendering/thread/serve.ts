import { defined } from '../../../../contract/defined.ts';
import { randomBytes } from 'node:crypto';
import { RenderFault } from '../../../../report/formats/render-fault.ts';
import type { renderFile } from '../../../../report/formats/render-file.ts';
import { openModel } from '../stored-model.ts';
import { isBlobReply, remoteBlobs } from '../../../threads/remote-blobs.ts';
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
    else if (isBlobReply(message)) source.answer(message);
    else void renderOne(message);
  });

  async function renderOne({ model, options }: ToThread & { kind: 'render' }): Promise<void> {
    const random = (bytes: number): Uint8Array => randomBytes(bytes);
    try {
      const opened = await openModel(source.blobs, model);
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
