import { parseDuration } from '../../contract/duration.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Handlers, PublicCall } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import type { LocalService } from './service.ts';

/** @param local absent where others than this machine may reach the server */
export function localHandlers(deps: Deps, local: LocalService | undefined): Handlers['local'] {
  const here = (call: PublicCall): LocalService => {
    if (local && call.isLocal) return local;
    throw new GovctlError(
      'not_local',
      '/v1/local requires a local server: a loopback address, no public URL, no proxy',
      { hint: 'Start one with --host 127.0.0.1, or run `govctl server exec -- COMMAND`.' },
    );
  };
  return {
    get: (_, call) => {
      const { clock, faults, requests } = here(call);
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
    getClock: (_, call) => ({ body: toJson(here(call).clock()) }),
    setClock: async ({ body }, call) => ({
      body: toJson(await here(call).setClock(Date.parse(body.now))),
    }),
    resetClock: async (_, call) => ({ body: toJson(await here(call).setClock(undefined)) }),
    advanceClock: async ({ body }, call) => {
      const { by, to, within_ms: withinMs } = body;
      // The contract takes durations only.
      const target = (now: number): number =>
        to === undefined ? now + (parseDuration(by ?? '') ?? 0) : Math.max(now, Date.parse(to));
      return { body: toJson(await here(call).advance(target, withinMs)) };
    },
    listFaults: (_, call) => ({ body: toJson({ faults: [...here(call).faults.list()] }) }),
    addFault: ({ body }, call) => ({ body: toJson(here(call).faults.add(body)) }),
    clearFaults: (_, call) => ({ body: toJson({ cleared: here(call).faults.clear() }) }),
    clearFault: ({ params }, call) => {
      here(call).faults.clearOne(params.id);
      return { body: toJson({ cleared: 1 }) };
    },
    listRequests: ({ query }, call) => {
      const { requests } = here(call);
      return { body: toJson({ requests: requests.list(query), last: requests.last }) };
    },
    snapshot: async (_, call) => ({ body: await here(call).snapshot(call.signal) }),
    restore: async ({ query, body }, call) => ({
      body: toJson(await here(call).restore(body, query, call.actor)),
    }),
    reset: async (_, call) => ({ body: toJson(await here(call).reset(call.actor)) }),
  };
}
