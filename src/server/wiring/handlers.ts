import { anomalyHandlers } from '../anomalies/handlers.ts';
import { archivablesOf } from '../archive/archivable.ts';
import { archiveHandlers } from '../archive/handlers.ts';
import { auditLogHandlers } from '../audit/handlers.ts';
import { apiKeyHandlers, oauthClientHandlers } from '../auth/handlers.ts';
import { meHandlers } from '../auth/me.ts';
import { issueToken } from '../auth/token.ts';
import type { Exchange } from '../auth/service.ts';
import { budgetHandlers } from '../budgets/handlers.ts';
import { definitionHandlers, frameworkHandlers } from '../compliance/handlers.ts';
import { ownerTagsOf } from '../config/config.ts';
import { retentionOf } from '../config/retention.ts';
import { costForecastHandlers } from '../cost/forecast-handlers.ts';
import { costResourceHandlers } from '../cost/resource-handlers.ts';
import { costImportHandlers } from '../cost-imports/handlers.ts';
import type { CostImportWork } from '../cost-imports/work.ts';
import { costHandlers } from '../cost/handlers.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { eventHandlers } from '../events/handlers.ts';
import { evidenceHandlers } from '../evidence/handlers.ts';
import { attachedEvidence } from '../evidence/service.ts';
import type { EvidenceWork } from '../evidence/work.ts';
import { exemptionHandlers } from '../exemptions/handlers.ts';
import type { BodyChecks } from '../http/bodies/body-checks.ts';
import type { RateLimiter } from '../http/limits.ts';
import { localHandlers } from '../local/handlers.ts';
import type { LocalService } from '../local/service.ts';
import { idTokenKeyHandlers } from '../oauth/service.ts';
import { policyHandlers } from '../policies/handlers.ts';
import { evaluationHandlers, governanceHandlers } from '../posture/handlers.ts';
import { predictionHandlers } from '../prediction/handlers.ts';
import { createAlerts, methodsOf } from '../prediction/service.ts';
import { remediationHandlers } from '../remediation/handlers.ts';
import { createResizer } from '../remediation/resize.ts';
import { settingsOf } from '../remediation/settings.ts';
import type { Surroundings } from '../report-delivery/service.ts';
import { downloadHandlers } from '../reports/download/handlers.ts';
import type { ReportWork } from '../reports/generation/report-work.ts';
import { reportHandlers } from '../reports/handlers.ts';
import { resourceHandlers } from '../resources/handlers.ts';
import { metricsHandlers, rightsizingHandlers } from '../rightsizing/handlers.ts';
import { analysisOptions } from './cost-sources.ts';
import type { Assessor } from '../rightsizing/service.ts';
import type { Utilization } from '../rightsizing/import-metrics.ts';
import { scanHandlers } from '../scans/handlers.ts';
import { scheduleHandlers } from '../schedules/handlers.ts';
import { scheduleReportDeleted } from '../schedules/run.ts';
import { showCertificate } from '../keys/handlers.ts';
import type { FindSigner } from '../keys/signer.ts';
import type { FindStatementKey } from '../keys/statement-key.ts';
import type { SystemOptions } from '../observe/health.ts';
import { systemHandlers } from '../observe/health.ts';
import { trustHandlers } from '../trusts/handlers.ts';
import { ciExchanges } from '../trusts/service.ts';
import { unusedHandlers } from '../unused/handlers.ts';
import { roleHandlers, userHandlers } from '../users/handlers.ts';
import { useHandlers } from '../uses/handlers.ts';
import type { UseRecord } from '../uses/record.ts';
import { violationHandlers } from '../violations/handlers.ts';
import { deliveryHandlers } from '../webhooks/delivery/handlers.ts';
import { webhookHandlers } from '../webhooks/handlers.ts';
import type { Send } from '../outbound/send.ts';
import { belongings, modules } from './modules.ts';

/** What handlers need besides the outside world; created once and shared. */
export interface Parts {
  /** Whether the server knows the countries of addresses. */
  readonly hasCountries: boolean;
  readonly limiter: RateLimiter;
  /** Grants of the token endpoint besides client credentials and those of CI jobs, by grant type. */
  readonly exchanges: Readonly<Record<string, Exchange>>;
  readonly bodies: BodyChecks;
  readonly system: SystemOptions;
  readonly evaluation: Evaluation;
  /** Allowed targets and the operator's configuration. */
  readonly surroundings: Surroundings;
  readonly send: Send;
  readonly reportWork: ReportWork;
  readonly evidenceWork: EvidenceWork;
  readonly utilization: Utilization;
  readonly assessor: Assessor;
  readonly costImportWork: CostImportWork;
  /** Signs reports. */
  readonly signer: FindSigner;
  /** Signs what the server states about its audit log. */
  readonly statementKey: FindStatementKey;
  readonly uses: UseRecord;
  /** The base URL of the service, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Absent if other machines can reach the server. */
  readonly local?: LocalService | undefined;
}

export const createHandlers = (
  deps: Deps,
  {
    hasCountries,
    limiter,
    exchanges,
    bodies,
    system,
    evaluation,
    surroundings,
    send,
    reportWork,
    evidenceWork,
    utilization,
    assessor,
    costImportWork,
    signer,
    statementKey,
    uses,
    baseUrl,
    local,
  }: Parts,
): Handlers => {
  const on = methodsOf(surroundings.config);
  const alerts = createAlerts(deps, on);
  const { targets } = surroundings;
  const ofJobs = ciExchanges(deps, { limiter, baseUrl, send, targets });
  const ownerTags = ownerTagsOf(surroundings.config);
  const planParts = {
    deps,
    evaluation,
    settings: settingsOf(surroundings.config.remediation, targets.rules.local),
  };
  return {
    policies: policyHandlers(deps, evaluation),
    resources: resourceHandlers(deps, evaluation, bodies),
    scans: scanHandlers(deps),
    predictions: predictionHandlers(deps, evaluation, { alerts, on }),
    violations: violationHandlers(deps, ownerTags),
    evaluations: evaluationHandlers(deps),
    governance: governanceHandlers(deps, { alerts, assessor }),
    frameworks: frameworkHandlers(deps, attachedEvidence),
    frameworkDefinitions: definitionHandlers(deps),
    evidence: evidenceHandlers(deps, {
      work: evidenceWork,
      statementKey,
      baseUrl,
      isLocal: local !== undefined,
    }),
    costImports: costImportHandlers(deps, costImportWork),
    exemptions: exemptionHandlers(deps),
    budgets: budgetHandlers(deps),
    costForecast: costForecastHandlers(deps, ownerTags),
    costAnomalies: anomalyHandlers(deps),
    costResources: costResourceHandlers(deps),
    remediations: remediationHandlers(planParts, ownerTags),
    metrics: metricsHandlers(utilization),
    rightsizing: rightsizingHandlers(deps, assessor, createResizer(planParts)),
    cost: costHandlers(deps, analysisOptions(surroundings.config, assessor)),
    costUnused: unusedHandlers(deps),
    events: eventHandlers(deps),
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
    webhooks: { ...webhookHandlers(deps, targets), ...deliveryHandlers(deps, send) },
    auth: { token: issueToken(deps, { limiter, exchanges: { ...exchanges, ...ofJobs } }) },
    me: meHandlers(deps),
    users: userHandlers(deps, { baseUrl, belongings }),
    roles: roleHandlers(deps),
    apiKeys: apiKeyHandlers(deps, { hasCountries }),
    oauthClients: oauthClientHandlers(deps),
    idTokenKeys: idTokenKeyHandlers(deps),
    trusts: trustHandlers(deps, targets),
    auditLog: auditLogHandlers(deps, statementKey),
    uses: useHandlers(deps, uses),
    archive: archiveHandlers(deps, archivablesOf(modules), retentionOf(surroundings.config)),
    local: localHandlers(deps, local),
    system: systemHandlers(deps, system),
  };
};
