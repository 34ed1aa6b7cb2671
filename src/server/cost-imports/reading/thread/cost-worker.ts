import { parentPort } from 'node:worker_threads';
import { defined } from '../../../../contract/defined.ts';
import { giveWay } from '../../../threads/give-way.ts';
import { isBlobReply, remoteBlobs } from '../../../threads/remote-blobs.ts';
import type { Port } from '../../../threads/threads.ts';
import { FileFault } from '../job.ts';
import { readFiles } from '../read-files.ts';
import type { FromThread, ToThread } from './messages.ts';

giveWay();

/** Milliseconds between two words on how far it is. */
const toldEvery = 200;

/** The entry of a worker thread: an import in, what its files say out. */
if (parentPort) serve(parentPort);

function serve(port: Port<ToThread, FromThread>): void {
  const remote = remoteBlobs(port);
  port.on('message', (message) => {
    if (isBlobReply(message)) remote.answer(message);
    else void read(message);
  });

  let told = 0;
  async function read({ job }: ToThread & { kind: 'import' }): Promise<void> {
    try {
      const charges = await readFiles(job, {
        blobs: remote.blobs,
        tell(progress) {
          const now = performance.now();
          if (now - told < toldEvery) return;
          told = now;
          port.postMessage({ kind: 'progress', ...progress });
        },
        // Whoever does not want it any more ends the thread.
        signal: new AbortController().signal,
      });
      port.postMessage({ kind: 'done', charges });
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      const fault = error instanceof FileFault ? error.fault : undefined;
      port.postMessage({ kind: 'failed', message, ...defined({ stack, fault }) });
    }
  }
}
