import { connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { refusedKind } from './address.ts';
import { explainFailure } from './send-failure.ts';
import { guardedLookup } from './target.ts';
import type { Targets } from './target.ts';

/** A connection that was not made; its message goes after the host and a colon: "connection refused". */
export class DialFailure extends Error {
  override readonly name = 'DialFailure';
}

/**
 * Connects to a host that users of the API named: to the very address that was judged, and to an allowed one only.
 * Listen to the socket at once, without waiting for anything else: it may end, or fail, as soon as it is there.
 * @throws DialFailure; the reason of `signal` where it is aborted
 */
export function dial(
  { host, port }: { readonly host: string; readonly port: number },
  targets: Targets,
  { signal, withinMs }: { readonly signal: AbortSignal; readonly withinMs: number },
): Promise<Socket> {
  signal.throwIfAborted();
  if (isIP(host) !== 0 && refusedKind(host, targets.rules)) {
    return Promise.reject(new DialFailure('the address is not allowed as a target'));
  }
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: guardedLookup(targets) });
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      socket.removeListener('error', fail);
      settle();
    };
    const refuse = (reason: unknown): void => {
      end(() => reject(reason as Error)); // a failure of ours, or a signal's reason
      socket.on('error', () => undefined);
      socket.destroy();
    };
    const fail = (error: Error): void => refuse(new DialFailure(explainFailure(error)));
    const abort = (): void => refuse(signal.reason);
    const timer = setTimeout(() => refuse(new DialFailure('connection timed out')), withinMs);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => end(() => resolve(socket)));
  });
}
