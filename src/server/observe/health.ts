import { GovctlError } from '../../contract/errors.ts';
import { buildOpenApi } from '../../contract/openapi.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';

export interface SystemOptions {
  /** Prometheus text; absent where metrics are switched off. */
  readonly metricsText?: () => Promise<string>;
}

export const health = (version: string) => toJson({ status: 'ok' as const, version });

/** The fields of the error that say why a server is not ready. */
export const notReady = (reason: string) => ({ status: 'not_ready', reasons: [reason] });

export const systemHandlers = (deps: Deps, { metricsText }: SystemOptions): Handlers['system'] => {
  const alive = health(deps.version);
  let openApi: ReturnType<typeof toJson<ReturnType<typeof buildOpenApi>>> | undefined;
  return {
    health: () => Promise.resolve({ body: alive }),

    ready: async () => {
      const { writable, reason } = deps.store.health();
      if (writable) return { body: toJson({ status: 'ready' as const }) };
      // Anyone may ask: the reason, which names files, is for the log alone.
      deps.log.error({ reason }, 'not ready: the store is read-only');
      throw new GovctlError('unavailable', `Not ready: the store is read-only`, {
        extra: notReady('store: it takes no changes; the log says why'),
      });
    },

    metrics: async () => {
      if (metricsText) return { body: await metricsText() };
      throw new GovctlError('not_found', 'Metrics are switched off on this server');
    },

    openapi: () => {
      openApi ??= toJson(buildOpenApi({ version: deps.version }));
      return Promise.resolve({ body: openApi });
    },
  };
};
