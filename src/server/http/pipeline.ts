import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurns } from '../threads/turns.ts';

/** Requests sent behind others that are taken up in one turn of the event loop, over all connections. */
const takenAtOnce = 20;
/** Requests that wait behind others of their connection, and over all connections. */
const mostOfConnection = 1_000;
const mostWaiting = 10_000;

type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** The requests of a connection. */
interface Line {
  readonly socket: Socket;
  /** What is being answered. */
  current?: Parameters<Handle> | undefined;
  /** What was answered last. */
  answered?: IncomingMessage | undefined;
  /** They wait for the one that is being answered. */
  readonly behind: Parameters<Handle>[];
}

interface Pipeline {
  readonly takeUp: Handle;
  /** Whether nothing of a connection is answered or waits. */
  isIdle(socket: Socket): boolean;
  hasBehind(socket: Socket): boolean;
  /**
   * Whether an answer by hand would be taken for the one of what came last: all that came whole has been answered, or it is
   * that very request which is being answered, whose body still comes and whose answer has not begun.
   */
  isAnswerable(socket: Socket): boolean;
}

/**
 * Takes up the requests of a connection one by one, each when the answer before it has gone out: a connection that sends
 * very many at once, which takes but some bytes, is no more to us than one that waits for its answers, and no more than
 * one of its answers is in memory. One that sends more than can wait is closed.
 * @param waitsFor what the first request in line of a connection waits for, if anything
 * @param cameBehind called for a request that waits behind another
 */
export function oneByOne(
  handle: Handle,
  waitsFor: (socket: Socket) => Promise<void> | undefined,
  cameBehind: (socket: Socket) => void,
): Pipeline {
  const lines = new WeakMap<Socket, Line>();
  const turns = createTurns(takenAtOnce);
  let waiting = 0;

  const lineOf = (socket: Socket): Line => {
    const line: Line = { socket, behind: [] };
    lines.set(socket, line);
    socket.once('close', () => forget(line));
    return line;
  };
  const forget = ({ behind }: Line): void => {
    waiting -= behind.length;
    behind.length = 0;
  };
  const begin = (line: Line, ...[incoming, outgoing]: Parameters<Handle>): void => {
    line.current = [incoming, outgoing];
    outgoing.once('close', () => void goOn(line));
    const waits = waitsFor(incoming.socket);
    if (!waits) handle(incoming, outgoing);
    else void waits.then(() => incoming.socket.writable && handle(incoming, outgoing));
  };
  const goOn = async (line: Line): Promise<void> => {
    line.answered = line.current?.[0];
    if (line.behind.length > 0) {
      const leave = await turns.take();
      void nextTurn().then(leave);
    }
    // What came behind an answer that closes the connection is not answered, so it must not be done.
    if (!line.socket.writable) forget(line);
    const next = line.behind.shift();
    if (next) waiting -= 1;
    if (next) begin(line, ...next);
    else line.current = undefined;
  };
  return {
    takeUp(incoming, outgoing) {
      const { socket } = incoming;
      if (!socket.writable) return;
      const line = lines.get(socket) ?? lineOf(socket);
      if (!line.current) {
        begin(line, incoming, outgoing);
      } else if (line.behind.length >= mostOfConnection || waiting >= mostWaiting) {
        socket.destroy();
      } else {
        line.behind.push([incoming, outgoing]);
        waiting += 1;
        cameBehind(socket);
      }
    },
    hasBehind: (socket) => (lines.get(socket)?.behind.length ?? 0) > 0,
    isIdle: (socket) => lines.get(socket)?.current === undefined,
    isAnswerable(socket) {
      const { current, behind, answered }: Line = lines.get(socket) ?? { socket, behind: [] };
      if (!current) return answered?.complete ?? true;
      const [incoming, outgoing] = current;
      return behind.length === 0 && !incoming.complete && !outgoing.headersSent;
    },
  };
}
