import type { Socket } from 'node:net';

/** Milliseconds that the other side may take to close its end. */
const lingerWithin = 1_000;

/**
 * Has a connection of the listener closed so that the answer before arrives, whoever closes it, node's HTTP server too. A
 * socket that is closed while something arrives that nobody reads makes the kernel reset the connection, and what the other
 * side has not read of the answer is lost: what arrives is read, and left, until the other side closes its end.
 */
export function closeGently(socket: Socket): void {
  socket.destroySoon = linger;
}

const leave = (): void => undefined;

function linger(this: Socket): void {
  if (this.destroyed || this.listeners('data').includes(leave)) return;
  this.end();
  // A listener takes the connection back from node's parser.
  this.removeAllListeners('data').on('data', leave).resume();
  this.once('end', () => this.destroy());
  const wait = (): void => {
    const timer = setTimeout(() => this.destroy(), lingerWithin);
    this.once('close', () => clearTimeout(timer));
  };
  if (this.writableFinished) wait();
  else this.once('finish', wait);
}
