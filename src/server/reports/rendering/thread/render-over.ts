import { RenderFault } from '../../../../report/formats/render-fault.ts';
import type { FileOptions } from '../../../../report/formats/render-file.ts';
import type { RenderJob } from '../render-stored.ts';
import type { Rendered } from '../../../../report/formats/render.ts';
import type { Blobs } from '../../../store/store.ts';
import type { Port } from '../../../threads/threads.ts';
import type { FromThread, ToThread } from './messages.ts';

/**
 * Has a file rendered at the other end of a port: answers what it reads, hands on what it writes. Where this rejects
 * with anything but a RenderFault, the other end may still be at it.
 */
export async function renderOver(
  port: Port<FromThread, ToThread>,
  { blobs, model, options, write, signal }: RenderJob,
): Promise<Rendered> {
  signal.throwIfAborted();
  const reads = serveReads(port, blobs);
  let end = (): void => undefined;
  try {
    return await new Promise<Rendered>((resolve, reject) => {
      const onMessage = (message: FromThread): void => {
        switch (message.kind) {
          case 'rendered':
            resolve(message.rendered);
            return;
          case 'failed':
            reject(failureOf(message));
            return;
          case 'chunk':
            write(message.bytes).then(() => port.postMessage({ kind: 'taken' }), reject);
            return;
          default:
            reads.serve(message);
        }
      };
      const onAbort = (): void => reject(signal.reason as Error); // whatever it was aborted with
      port.on('message', onMessage);
      signal.addEventListener('abort', onAbort);
      end = () => {
        port.off('message', onMessage);
        signal.removeEventListener('abort', onAbort);
      };
      port.postMessage({ kind: 'render', model, options: sendable(options) });
    });
  } finally {
    end();
    await reads.close();
  }
}

/** A function can't be sent; the other end has its own. */
const sendable = ({ random: _r, ...options }: FileOptions) => options;

function failureOf({ message, fault, stack }: FromThread & { kind: 'failed' }): Error {
  if (fault) return new RenderFault(message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

type Asked = Exclude<FromThread, { kind: 'rendered' | 'failed' | 'chunk' }>;

/** Reads blobs as they are asked for, a chunk ahead. */
function serveReads(port: Port<FromThread, ToThread>, blobs: Pick<Blobs, 'read'>) {
  interface Open {
    readonly chunks: AsyncIterator<Uint8Array>;
    ahead: Promise<IteratorResult<Uint8Array>>;
  }
  const open = new Map<number, Open>();

  const begin = ({ id, range }: Asked & { kind: 'read' }): Open => {
    const chunks = blobs.read(id, range)[Symbol.asyncIterator]();
    return { chunks, ahead: next(chunks) };
  };
  const next = (chunks: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> => {
    const ahead = chunks.next();
    // Whoever asks for it is told.
    ahead.catch(() => undefined);
    return ahead;
  };
  const answer = async (read: number, one: Open): Promise<void> => {
    try {
      const { done, value } = await one.ahead;
      if (done === true) {
        open.delete(read);
        port.postMessage({ kind: 'end', read });
        return;
      }
      one.ahead = next(one.chunks);
      port.postMessage({ kind: 'bytes', read, bytes: new Uint8Array(value) });
    } catch {
      // What it was is for the log of whoever reads blobs; a path may be in it.
      open.delete(read);
      port.postMessage({ kind: 'unreadable', read, message: 'the stored model can not be read' });
    }
  };
  const close = async (one: Open): Promise<void> => {
    await one.ahead.catch(() => undefined);
    await one.chunks.return?.();
  };

  return {
    serve(message: Asked): void {
      const known = open.get(message.read);
      if (message.kind === 'close') {
        open.delete(message.read);
        if (known) void close(known).catch(() => undefined);
        return;
      }
      const one = message.kind === 'read' ? begin(message) : known;
      if (!one) return;
      open.set(message.read, one);
      void answer(message.read, one);
    },
    async close() {
      const left = [...open.values()];
      open.clear();
      await Promise.all(left.map((one) => close(one).catch(() => undefined)));
    },
  };
}
