import { parseDuration } from '../../contract/duration.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { readStream } from './read-snapshot.ts';
import type { LocalService } from './service.ts';

/** @param local absent where others than this machine may reach the server */
export function localHandlers(deps: Deps, local: LocalService | undefined): Handlers['local'] {
  const here = (): LocalService => {
    if (local) return local;
    throw new GovctlError(
      'not_local',
      'Only a server that listens on a loopback address, and has no public URL, can be changed for tests',
    );
  };
  return {
    get: () => {
      const { clock, faults, requests } = here();
      return {
        body: toJson({
          local: true as const,
          version: deps.version,
          clock: clock(),
          faults: faults.active,
          requests: requests.last,
        }),
      };
    },
    getClock: () => ({ body: toJson(here().clock()) }),
    setClock: async ({ body }) => ({ body: toJson(await here().setClock(Date.parse(body.now))) }),
    resetClock: async () => ({ body: toJson(await here().setClock(undefined)) }),
    advanceClock: async ({ body }) => {
      const { by, to, within_ms: withinMs } = body;
      // The contract takes durations only.
      const target = (now: number): number =>
        to === undefined ? now + (parseDuration(by ?? '') ?? 0) : Math.max(now, Date.parse(to));
      return { body: toJson(await here().advance(target, withinMs)) };
    },
    listFaults: () => ({ body: toJson({ faults: [...here().faults.list()] }) }),
    addFault: ({ body }) => ({ body: toJson(here().faults.add(body)) }),
    clearFaults: () => ({ body: toJson({ cleared: here().faults.clear() }) }),
    clearFault: ({ params }) => {
      here().faults.clearOne(params.id);
      return { body: toJson({ cleared: 1 }) };
    },
    listRequests: ({ query }) => {
      const { requests } = here();
      return { body: toJson({ requests: requests.list(query), last: requests.last }) };
    },
    snapshot: async () => ({ body: await here().snapshot() }),
    restore: async ({ query, body }, call) => {
      const service = here();
      const text = await readStream(body);
      return { body: toJson(await service.restore(text, query, call.actor)) };
    },
    reset: async (_, call) => ({ body: toJson(await here().reset(call.actor)) }),
  };
}
