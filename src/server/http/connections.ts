import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { canonicalAddress, networkOf } from './address.ts';
import { closeGently } from './close-gently.ts';
import type { Peer } from './peer.ts';

/** Connections that are open at once, where the process may open enough files. */
const mostByDefault = 4_096;
/** Files that a process may open, where nothing tells. */
const filesAssumed = 2_048;
/** Characters of answers, over all connections, that wait in memory for readers who do not take them. */
const mostWaiting = 256 << 20;
/** Milliseconds that a connection is idle before a stop closes it. */
const idleWithin = 250;
/** Milliseconds between two counts of what waits. */
const countEvery = 100;

/** Half of the files that this process may open are left to the store and to connections that go out. */
export const defaultMaxConnections = (): number =>
  Math.min(mostByDefault, Math.floor(openFilesLimit() / 2));

function openFilesLimit(): number {
  try {
    const [, soft] =
      /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? filesAssumed : Number(soft);
  } catch {
    return filesAssumed; // not Linux
  }
}

/** What connections must know of their listener. */
interface OfListener {
  /** Requests come only after a handshake. */
  readonly isSecured: boolean;
  /** Whether requests wait behind the one that is answered. */
  readonly hasBehind: (socket: Socket) => boolean;
}

/** A connection as requests see it. */
class Connection implements Peer {
  /** What it shares its place with: those that showed the same token, else unknown ones of the same network. */
  group: string;
  isKnown = false;
  /** Of its last request. */
  private answer: ServerResponse | undefined;
  private secure: Socket | undefined;
  /** Whether the answer would keep the connection, as far as its sender is concerned. */
  private isKept = false;
  /** Since when nothing is under way, and the bytes that had arrived by then. */
  private idle: { readonly since: number; readonly bytes: number } | undefined;
  isEnding = false;

  constructor(
    private readonly plain: Socket,
    private readonly listener: OfListener,
    private readonly regroup: (connection: Connection, group: string) => void,
  ) {
    this.group = networkOf(plain.remoteAddress);
    if (!listener.isSecured) closeGently(plain);
  }

  /** Whether its handshake is under way. */
  private get isBeingSecured(): boolean {
    return this.listener.isSecured && !this.secure;
  }

  /** What requests come over: with TLS, what decrypts them. */
  get socket(): Socket {
    return this.secure ?? this.plain;
  }

  get remoteAddress(): string | undefined {
    const { remoteAddress } = this.socket;
    return remoteAddress === undefined ? undefined : canonicalAddress(remoteAddress);
  }

  get hasAsked(): boolean {
    return this.answer !== undefined;
  }

  /** Whether a request is under way. */
  get isBusy(): boolean {
    return this.answer !== undefined && !this.answer.writableFinished;
  }

  /** Characters that its reader has not taken. */
  get waiting(): number {
    return this.socket.writableLength;
  }

  shookHands(secure: Socket): void {
    this.secure = secure;
    closeGently(secure);
  }

  began(answer: ServerResponse): void {
    this.answer = answer;
    this.isKept = answer.shouldKeepAlive;
    this.end();
  }

  /** Closes it behind the answer that is under way, or else the next one. */
  endSoon(): void {
    this.isEnding = true;
    this.end();
  }

  /** Another request came behind the one that is answered. */
  cameBehind(): void {
    this.end();
  }

  /** All that came is answered: it closes behind the last. */
  private end(): void {
    if (!this.isEnding || !this.answer || this.answer.headersSent) return;
    this.answer.shouldKeepAlive = this.isKept && this.listener.hasBehind(this.socket);
  }

  /**
   * Closes it where nothing is under way and nothing came for a while: whoever sends one request after the other gets an
   * answer to the next one, which says that the connection closes.
   */
  closeIfIdle(isIdle: boolean, now: number): void {
    const { bytesRead } = this.socket;
    if (!isIdle) this.idle = undefined;
    else this.idle ??= { since: now, bytes: bytesRead };
    if (!this.idle || now - this.idle.since < idleWithin || this.isArriving) return;
    if (this.isBeingSecured) this.destroy();
    else this.destroySoon();
  }

  /** Whether the beginning of a request came, and not yet the end of its headers. */
  get isArriving(): boolean {
    return (
      this.idle !== undefined && !this.isBeingSecured && this.socket.bytesRead > this.idle.bytes
    );
  }

  trust(who: string): void {
    if (this.isKnown && this.group === who) return;
    this.isKnown = true;
    this.regroup(this, who);
  }

  destroy(): void {
    this.socket.destroy();
    this.plain.destroy();
  }

  destroySoon(): void {
    this.socket.destroySoon();
  }
}

export interface Connections {
  /** A new one; where there are too many, another goes, or the new one where all others are needed more. */
  add(socket: Socket): Connection;
  /** Its handshake is done. */
  secured(socket: Socket): void;
  of(socket: Socket): Connection | undefined;
  /** Closes connections whose readers leave too much waiting. */
  checkWaiting(): void;
  /** Closes those that are open now, each behind the answer that is under way, or else its next one. */
  endSoon(): void;
  /** Closes those that were idle for a while. @param isIdle whether nothing of a connection is under way */
  closeIdle(isIdle: (socket: Socket) => boolean): void;
  /** Those whose headers are on their way. */
  arriving(): readonly Socket[];
  /** @returns how many had something under way */
  closeAll(): number;
}

/**
 * The open connections of a listener. Half of the places are for those that have shown a valid token: whoever has none
 * can't take them. Where places are short, the group with the most connections gives its oldest one up: an attacker
 * pushes out connections of its own.
 * @param most places in all
 */
export function createConnections(
  most: number,
  listener: OfListener,
  monotonic: () => number,
): Connections {
  const mostUnknown = Math.ceil(most / 2);
  /** Oldest first. */
  const unknown = new Map<string, Set<Connection>>();
  const known = new Map<string, Set<Connection>>();
  const bySocket = new WeakMap<Socket, Connection>();
  /** Of those that have not shaken hands: the secured socket is another than the one beneath, with the same ends. */
  const byPort = new Map<string, Connection>();
  const counts = { all: 0, unknown: 0 };
  let counted = -Infinity;

  const put = (connection: Connection): void => {
    const groups = connection.isKnown ? known : unknown;
    const group = groups.get(connection.group);
    if (group) group.add(connection);
    else groups.set(connection.group, new Set([connection]));
    counts.all += 1;
    if (!connection.isKnown) counts.unknown += 1;
  };
  const take = (connection: Connection): boolean => {
    for (const groups of [unknown, known]) {
      const group = groups.get(connection.group);
      if (!group?.delete(connection)) continue;
      if (group.size === 0) groups.delete(connection.group);
      counts.all -= 1;
      if (groups === unknown) counts.unknown -= 1;
      return true;
    }
    return false;
  };
  const regroup = (connection: Connection, who: string): void => {
    // One that was closed meanwhile stays out.
    const isOpen = take(connection);
    connection.group = who;
    if (isOpen) put(connection);
  };
  const drop = (groups: ReadonlyMap<string, ReadonlySet<Connection>>): void => {
    let largest: ReadonlySet<Connection> = new Set();
    for (const group of groups.values()) if (group.size > largest.size) largest = group;
    const [oldest] = largest;
    const victim = firstIdle(largest) ?? oldest;
    if (!victim) return;
    take(victim);
    victim.destroy();
  };
  const all = (): Connection[] =>
    [unknown, known].flatMap((groups) => [...groups.values()].flatMap((group) => [...group]));

  return {
    add(socket) {
      const connection = new Connection(socket, listener, regroup);
      if (counts.unknown >= mostUnknown) drop(unknown);
      if (counts.all >= most) drop(unknown.size > 0 ? unknown : known);
      put(connection);
      const port = portOf(socket);
      bySocket.set(socket, connection);
      byPort.set(port, connection);
      socket.once('close', () => {
        if (byPort.get(port) === connection) byPort.delete(port);
        take(connection);
      });
      return connection;
    },
    secured(socket) {
      const connection = byPort.get(portOf(socket));
      if (!connection) return;
      connection.shookHands(socket);
      bySocket.set(socket, connection);
    },
    of: (socket) => bySocket.get(socket),
    checkWaiting() {
      const now = monotonic();
      if (now - counted < countEvery) return;
      counted = now;
      const slow = all().filter(({ waiting }) => waiting > 0);
      let waiting = slow.reduce((sum, one) => sum + one.waiting, 0);
      for (const one of slow.sort((a, b) => b.waiting - a.waiting)) {
        if (waiting <= mostWaiting) return;
        waiting -= one.waiting;
        one.destroy();
      }
    },
    endSoon() {
      for (const one of all()) one.endSoon();
    },
    closeIdle(isIdle) {
      const now = monotonic();
      for (const one of all()) one.closeIfIdle(isIdle(one.socket), now);
    },
    arriving: () => all().flatMap((one) => (one.isArriving ? [one.socket] : [])),
    closeAll() {
      const open = all();
      const busy = open.filter(({ isBusy }) => isBusy).length;
      for (const one of open) one.destroy();
      return busy;
    },
  };
}

/** Is asked for each connection of a flood: copies nothing. */
function firstIdle(group: Iterable<Connection>): Connection | undefined {
  for (const connection of group) if (!connection.isBusy) return connection;
  return undefined;
}

const portOf = ({ remoteAddress, remotePort }: Socket): string =>
  `${remoteAddress ?? ''} ${remotePort ?? ''}`;
