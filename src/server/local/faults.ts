import { defined } from '../../contract/defined.ts';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Fault, FaultInput } from '../../contract/local.ts';
import type { WireErrorName } from '../../contract/errors.ts';
import { GovctlError, errorCatalogue } from '../../contract/errors.ts';
import { matchesId } from '../../engine/exempt.ts';
import type { Clock } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Ids } from '../ids.ts';
import type { Peer } from '../http/peer.ts';
import type { RequestFaults } from '../http/local-hooks.ts';
import { isOfLocal } from './request-log.ts';

/** What may be told to go wrong with a request. */
export interface FaultTable extends RequestFaults {
  /** @throws GovctlError malformed_request where there are too many */
  add(input: FaultInput): Fault;
  list(): readonly Fault[];
  /** @returns how many there were */
  clear(): number;
  /** @throws GovctlError fault_not_found */
  clearOne(id: string): void;
  /** How many can still hit. */
  readonly active: number;
}

/** More than that are a mistake in a loop. */
const mostFaults = 1_000;

/** Faults in memory, in the order in which they were added. */
export function createFaultTable({ clock, ids }: { clock: Clock; ids: Ids }): FaultTable {
  const faults = new Map<string, Fault>();
  let active = 0;
  const count = (): void => {
    active = [...faults.values()].filter(isActive).length;
  };
  return {
    get active() {
      return active;
    },
    add({ count: times, ...input }) {
      if (faults.size >= mostFaults) {
        throw new GovctlError(
          'malformed_request',
          `There are ${mostFaults} faults, which is the maximum; clear them first`,
        );
      }
      const fault: Fault = {
        id: ids.next('flt'),
        ...input,
        hits: 0,
        ...(times === 'always' ? {} : { left: times }),
        created_at: timestamp(clock.now()),
      };
      faults.set(fault.id, fault);
      count();
      return fault;
    },
    list: () => [...faults.values()],
    clear() {
      const { size } = faults;
      faults.clear();
      count();
      return size;
    },
    clearOne(id) {
      if (!faults.delete(id)) {
        const shown = JSON.stringify(id.slice(0, 64));
        throw new GovctlError(
          'fault_not_found',
          `There is no fault ${shown}; list them with GET /v1/local/faults`,
        );
      }
      count();
    },
    take(method, route, path) {
      if (active === 0 || path === '/healthz' || isOfLocal(path)) return undefined;
      for (const fault of faults.values()) {
        if (!isActive(fault) || !fits(fault, method, route, path)) continue;
        const hit: Fault = {
          ...fault,
          hits: fault.hits + 1,
          ...(fault.left === undefined ? {} : { left: fault.left - 1 }),
        };
        faults.set(hit.id, hit);
        count();
        return {
          id: hit.id,
          befall: () => befall(hit),
          cutShort: (response, peer) => cutShort(response, hit, peer),
        };
      }
      return undefined;
    },
  };
}

const isActive = ({ left }: Fault): boolean => left === undefined || left > 0;

function fits(fault: Fault, method: string, route: string, path: string): boolean {
  if (fault.method !== undefined && fault.method !== method) return false;
  return fault.path === undefined || fault.path === route || matchesId(fault.path, path);
}

/**
 * Lets a fault come over a request that has not been looked at yet.
 * @throws GovctlError what it is to be answered with
 */
async function befall(fault: Fault): Promise<void> {
  if (fault.delay_ms !== undefined) await sleep(fault.delay_ms, undefined, { ref: false });
  const { status, retry_after: after } = fault;
  if (status !== undefined || fault.cut === 'request') {
    const name = fault.error ?? nameOf(status ?? 500);
    throw new GovctlError(name, `The fault ${fault.id} of this local server caused this error`, {
      ...defined({ status }),
      ...(after === undefined
        ? {}
        : { headers: { 'Retry-After': String(after) }, extra: { retry_after: after } }),
    });
  }
}

/** The catalogue's first error of a status; for others, one of that kind. */
function nameOf(status: number): WireErrorName {
  if (status === 404) return 'not_found';
  if (status === 400) return 'malformed_request';
  if (status === 403) return 'insufficient_scope';
  const [found] = Object.entries(errorCatalogue).find(([, entry]) => entry.status === status) ?? [];
  // An entry with a status is one of the wire.
  if (found !== undefined) return found as WireErrorName;
  return status >= 500 ? 'internal_error' : 'malformed_request';
}

/** The answer of a request whose connection is to be cut; as it is where the fault says nothing of that. */
function cutShort(response: Response, { cut }: Fault, peer: Peer): Response {
  if (cut === undefined) return response;
  // Some statuses take no body that could be cut.
  if (cut === 'body' && response.body !== null) return cutInBody(response, peer);
  // What it was read from is let go of.
  void response.body?.cancel();
  // Callers in this process have no connection: for them the body breaks.
  if (!peer.destroy) return new Response(broken());
  peer.destroy();
  return new Response(null, { status: 500 });
}

function cutInBody(response: Response, peer: Peer): Response {
  const headers = new Headers(response.headers);
  // Else the listener would wait for more of the body before it sends anything. A file says its length, which does as well.
  if (peer.destroySoon && !headers.has('Content-Length')) {
    headers.set('Transfer-Encoding', 'chunked');
  }
  return new Response(halfOf(response, peer), { status: response.status, headers });
}

/** The first half of a body; then the connection goes. */
function halfOf(response: Response, peer: Peer): ReadableStream<Uint8Array> {
  const half = response.arrayBuffer().then((all) => all.slice(0, Math.ceil(all.byteLength / 2)));
  let isGiven = false;
  return new ReadableStream(
    {
      async pull(controller) {
        if (!isGiven) {
          isGiven = true;
          controller.enqueue(new Uint8Array(await half));
          return;
        }
        // What was given is on its way by then, and goes out first. The stream stays open: the answer never ends.
        await nextTurn();
        if (peer.destroySoon) peer.destroySoon();
        else controller.error(cutByFault());
      },
    },
    { highWaterMark: 0 },
  );
}

const broken = (): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (controller) => controller.error(cutByFault()) });

const cutByFault = (): Error => new Error('closed by a fault of the local server');
