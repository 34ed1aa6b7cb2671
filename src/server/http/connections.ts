import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { canonicalAddress, networkOf } from './address.ts';
import type { Peer } from './peer.ts';

/** Connections that are open at once, where the process may open enough files. */
const mostByDefault = 4_096;
/** Files that a process may open, where nothing tells. */
const filesAssumed = 2_048;
/** Characters of answers, over all connections, that wait in memory for readers who do not take them. */
const mostWaiting = 256 << 20;
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

/** A connection as requests see it. */
class Connection implements Peer {
  /** What it shares its place with: those that showed the same token, else unknown ones of the same network. */
  group: string;
  isKnown = false;
  /** Of its last request. */
  private answer: ServerResponse | undefined;
  private secure: Socket | undefined;
  private isEnding = false;

  constructor(
    private readonly plain: Socket,
    private readonly regroup: (connection: Connection, group: string) => void,
  ) {
    this.group = networkOf(plain.remoteAddress);
  }

  /** What requests come over: with TLS, what decrypts them. */
  private get socket(): Socket {
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
  }

  began(answer: ServerResponse): void {
    this.answer = answer;
    if (this.isEnding) answer.shouldKeepAlive = false;
  }

  /** Closes it behind the answer to its next request. */
  endSoon(): void {
    this.isEnding = true;
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
  /** Closes those that are open now, each behind the answer to its next request. */
  endSoon(): void;
  /** Closes those that never sent a request: nothing of theirs is under way. */
  closeUnused(): void;
  closeAll(): void;
}

/**
 * The open connections of a listener. Half of the places are for those that have shown a valid token: whoever has none
 * can't take them. Where places are short, the group with the most connections gives its oldest one up: an attacker
 * pushes out connections of its own.
 * @param most places in all
 */
export function createConnections(most: number, monotonic: () => number): Connections {
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
      const connection = new Connection(socket, regroup);
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
    closeUnused() {
      for (const one of all()) if (!one.hasAsked) one.destroy();
    },
    closeAll() {
      for (const one of all()) one.destroy();
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
