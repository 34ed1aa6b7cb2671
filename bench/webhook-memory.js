import { WebSocket } from 'undici';
import { createWebhooks, trigger } from './webhook-delivery.js';
import { startGovctl } from './harness.js';

export const title = 'memory of events that wait for a webhook';

const waiting = 100_000;

/** Bytes that are in use after a collection, asked of the process through its inspector. */
async function heapUsed(port) {
  const [{ webSocketDebuggerUrl }] = await (await fetch(`http://127.0.0.1:${port}/json`)).json();
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  let next = 0;
  const ask = (method) =>
    new Promise((resolve) => {
      const id = ++next;
      const listen = ({ data }) => {
        const answer = JSON.parse(data);
        if (answer.id !== id) return;
        socket.removeEventListener('message', listen);
        resolve(answer.result);
      };
      socket.addEventListener('message', listen);
      socket.send(JSON.stringify({ id, method }));
    });
  await ask('HeapProfiler.enable');
  await ask('HeapProfiler.collectGarbage');
  await ask('HeapProfiler.collectGarbage');
  const { usedSize } = await ask('Runtime.getHeapUsage');
  socket.close();
  return usedSize;
}

export async function measure({ port }) {
  const server = await startGovctl(port, { nodeArgs: [`--inspect=127.0.0.1:${port + 1}`] });
  await createWebhooks(server, 'http://127.0.0.1:9/', 1);
  await trigger(server, 1_000);
  const before = await heapUsed(port + 1);
  await trigger(server, waiting);
  const after = await heapUsed(port + 1);
  const peak = await server.stop();
  const each = (after - before) / waiting;
  return [
    {
      figure: `memory of an event that waits, of ${waiting.toLocaleString('en-US')}`,
      peer: 'limit of 1 KB',
      ours: each,
      theirs: 1024,
      unit: 'B',
      ratio: each / 1024,
      limit: { most: 1 },
      peak,
    },
  ];
}
