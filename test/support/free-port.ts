import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A port of this machine that nobody has just now. */
export async function freePort(): Promise<number> {
  const spare = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => spare.once('listening', resolve));
  const { port } = spare.address() as AddressInfo; // listens on a port, not on a pipe
  await new Promise((resolve) => spare.close(resolve));
  return port;
}
