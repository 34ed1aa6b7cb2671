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
      const { writable, checkpoints } = deps.store.health();
      // Anyone may ask: what failed on which file is for the log alone, where the store has put it.
      const reasons = [
        ...(writable ? [] : ['store: read-only because its disk cannot be written; see the log']),
        ...(checkpoints === undefined
          ? []
          : ['store: the last checkpoints could not be written; see the log']),
      ];
      // Not 503, with which a load balancer would take away reading, too.
      return {
        body: toJson(
          reasons.length > 0
            ? { status: 'degraded' as const, reasons }
            : { status: 'ready' as const },
        ),
      };
    },

    metrics: async () => {
      if (metricsText) return { body: await metricsText() };
      throw new GovctlError('not_found', 'Metrics are disabled on this server');
    },

    openapi: () => {
      openApi ??= toJson(buildOpenApi({ version: deps.version }));
      return Promise.resolve({ body: openApi });
    },
  };
};
