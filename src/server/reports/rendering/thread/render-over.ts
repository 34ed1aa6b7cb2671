import { RenderFault } from '../../../../report/formats/render-fault.ts';
import type { FileOptions } from '../../../../report/formats/render-file.ts';
import type { RenderJob } from '../render-stored.ts';
import type { Rendered } from '../../../../report/formats/render.ts';
import { serveBlobs } from '../../../threads/remote-blobs.ts';
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
  const reads = serveBlobs(port, blobs);
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
