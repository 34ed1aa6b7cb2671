import { auditLogHandlers } from '../audit/handlers.ts';
import { auditLog } from '../audit/service.ts';
import { accessTokens, apiKeys, oauthClients } from '../auth/collections.ts';
import { apiKeyHandlers, oauthClientHandlers } from '../auth/handlers.ts';
import { issueToken } from '../auth/token.ts';
import type { Handlers } from '../http/call.ts';
import { assessments } from '../compliance/collection.ts';
import type { Deps } from '../deps.ts';
import type { PreparePolicy } from '../evaluation/prepared-policies.ts';
import { evaluationWork } from '../evaluation/work.ts';
import { events } from '../events/collection.ts';
import { eventHandlers } from '../events/handlers.ts';
import { exemptions } from '../exemptions/collection.ts';
import { exemptionHandlers } from '../exemptions/handlers.ts';
import { idempotencyKeys } from '../http/idempotency.ts';
import type { RateLimiter } from '../http/limits.ts';
import { localState } from '../local/collection.ts';
import { localHandlers } from '../local/handlers.ts';
import type { LocalService } from '../local/service.ts';
import { policies } from '../policies/collection.ts';
import { policyHandlers } from '../policies/handlers.ts';
import {
  knownHosts,
  reportDeliveries,
  reportDeliveryLanes,
} from '../report-delivery/collection.ts';
import type { Surroundings } from '../report-delivery/service.ts';
import { reportLanes, reports, reportTimings } from '../reports/collection.ts';
import { reportDownloads, reportLinks } from '../reports/download/collection.ts';
import { downloadHandlers } from '../reports/download/handlers.ts';
import type { ReportWork } from '../reports/generation/report-work.ts';
import { reportHandlers } from '../reports/handlers.ts';
import { resources } from '../resources/collection.ts';
import { resourceHandlers } from '../resources/handlers.ts';
import { scans } from '../scans/collection.ts';
import { scanHandlers } from '../scans/handlers.ts';
import { runs, scheduleLanes, schedules } from '../schedules/collection.ts';
import { scheduleHandlers } from '../schedules/handlers.ts';
import { scheduleReportDeleted } from '../schedules/service.ts';
import { serverState } from '../keys/collection.ts';
import { showCertificate } from '../keys/handlers.ts';
import type { FindSigner } from '../keys/signer.ts';
import type { SystemOptions } from '../observe/health.ts';
import { systemHandlers } from '../observe/health.ts';
import { violations } from '../violations/collection.ts';
import { violationHandlers } from '../violations/handlers.ts';
import { webhookLanes, webhooks } from '../webhooks/collection.ts';
import { answers, deliveries } from '../webhooks/delivery/collection.ts';
import { deliveryHandlers } from '../webhooks/delivery/handlers.ts';
import { webhookHandlers } from '../webhooks/handlers.ts';
import type { Send } from '../outbound/send.ts';

/** Every collection of the service, for the store that is to hold them. */
export const collections = [
  policies,
  resources,
  violations,
  exemptions,
  scans,
  evaluationWork,
  assessments,
  events,
  webhooks,
  deliveries,
  answers,
  reports,
  reportTimings,
  reportLinks,
  reportDownloads,
  schedules,
  runs,
  reportDeliveries,
  knownHosts,
  apiKeys,
  oauthClients,
  accessTokens,
  auditLog,
  idempotencyKeys,
  serverState,
  localState,
] as const;

/** What handlers take beside the outside world: made once, for all of them. */
export interface Parts {
  readonly limiter: RateLimiter;
  readonly system: SystemOptions;
  readonly prepare: PreparePolicy;
  /** What may be sent to, and what the operator has configured. */
  readonly surroundings: Surroundings;
  readonly send: Send;
  readonly reportWork: ReportWork;
  /** What signs reports. */
  readonly signer: FindSigner;
  /** What addresses of the service begin with, without a slash at their end. */
  readonly baseUrl: () => string;
  /** Only this machine can connect. */
  readonly isLocal: boolean;
  /** Absent where others than this machine may reach the server. */
  readonly local?: LocalService | undefined;
}

/** And every family of lanes. */
export const lanes = [webhookLanes, reportLanes, scheduleLanes, reportDeliveryLanes] as const;

export const createHandlers = (
  deps: Deps,
  {
    limiter,
    system,
    prepare,
    surroundings,
    send,
    reportWork,
    signer,
    baseUrl,
    isLocal,
    local,
  }: Parts,
): Handlers => ({
  policies: policyHandlers(deps, prepare),
  resources: resourceHandlers(deps, prepare),
  scans: scanHandlers(deps),
  violations: violationHandlers(deps),
  exemptions: exemptionHandlers(deps, prepare),
  events: eventHandlers(deps, isLocal),
  schedules: scheduleHandlers(deps, surroundings),
  reports: {
    ...reportHandlers(deps, {
      work: reportWork,
      baseUrl,
      deleted: (tx, report) => scheduleReportDeleted(deps, tx, report),
    }),
    ...downloadHandlers(deps, { ensureFile: reportWork.ensureFile, baseUrl }),
    certificate: showCertificate(signer),
  },
  webhooks: { ...webhookHandlers(deps, surroundings.targets), ...deliveryHandlers(deps, send) },
  auth: { token: issueToken(deps, limiter) },
  apiKeys: apiKeyHandlers(deps),
  oauthClients: oauthClientHandlers(deps),
  auditLog: auditLogHandlers(deps),
  local: localHandlers(deps, local),
  system: systemHandlers(deps, system),
});
