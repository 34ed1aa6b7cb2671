import { lookup } from 'node:dns/promises';
import { TimeUp } from '../threads/time-up.ts';
import { createTurns } from '../threads/turns.ts';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host. @throws where it has none, or nobody could tell */
export type Resolve = (host: string) => Promise<readonly Address[]>;

/**
 * Lookups at once: the system's take threads of this process, which has two for them. A name server that never answers
 * holds one for half a minute.
 */
const most = 2;
/** Milliseconds from which on a lookup is slow. */
const slowFrom = 2_000;
/** Milliseconds that a name waits for its lookup. */
const waitWithin = 30_000;
/** Milliseconds that addresses are used on where a lookup takes long. */
const usedOnFor = 3_600_000;
const mostKept = 1_000;

/** What came of the last lookup of a name, and of the last one that found something. */
interface Known {
  readonly pace: 'quick' | 'slow';
  readonly addresses?: readonly Address[] | undefined;
  readonly at: number;
}

interface Times {
  /** Milliseconds. */
  readonly now: () => number;
  readonly slowFrom: number;
}

/**
 * Looks names up in turn: one of those whose lookups are slow, of the quick ones, and of new ones at a time. Names whose
 * servers never answer so wait for themselves; where a lookup takes long all the same, the last addresses will do.
 */
export function resolveInTurn(
  look: Resolve,
  times: Times = { now: () => performance.now(), slowFrom },
): Resolve {
  const turns = createTurns(most, 1);
  const underWay = new Map<string, Promise<readonly Address[]>>();
  const known = new Map<string, Known>();

  function keep(host: string, what: Known): void {
    known.delete(host);
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= mostKept) known.delete(oldest);
    known.set(host, what);
  }

  async function lookUp(host: string): Promise<readonly Address[]> {
    const before = known.get(host);
    const leave = await turns.take(undefined, before?.pace ?? 'new', waitWithin).catch(late);
    const began = times.now();
    const ended = (found: Pick<Known, 'addresses' | 'at'>): void => {
      leave();
      const pace = times.now() - began < times.slowFrom ? 'quick' : 'slow';
      keep(host, { pace, ...found });
    };
    try {
      const addresses = await look(host);
      ended({ addresses, at: times.now() });
      return addresses;
    } catch (error) {
      ended({ addresses: before?.addresses, at: before?.at ?? 0 });
      throw error;
    }
  }

  return (host) => {
    const looking = underWay.get(host) ?? lookUp(host).finally(() => underWay.delete(host));
    underWay.set(host, looking);
    const { addresses, at = 0 } = known.get(host) ?? {};
    if (!addresses || times.now() - at > usedOnFor) return looking;
    return orAfter(times.slowFrom, looking, addresses);
  };
}

/** What comes in time, else what there is. */
function orAfter<T>(ms: number, coming: Promise<T>, else_: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(else_), ms);
    coming.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function late(error: unknown): never {
  if (!(error instanceof TimeUp)) throw error;
  throw Object.assign(new Error('the name server did not respond in time', { cause: error }), {
    code: 'EAI_AGAIN',
  });
}

/** One for the process, as its threads are. */
export const systemResolve: Resolve = resolveInTurn((host) => lookup(host, { all: true }));
