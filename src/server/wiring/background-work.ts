import type { Authenticator } from '../auth/service.ts';
import { anomalyLanes } from '../anomalies/collection.ts';
import { startAnomalyDetection } from '../anomalies/detection.ts';
import { thresholdsOf } from '../anomalies/service.ts';
import { budgetLanes } from '../budgets/collection.ts';
import { startBudgetEvaluations } from '../budgets/evaluate.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { backgroundEvaluation } from '../evaluation/background.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { evaluationLanes } from '../evaluation/work.ts';
import type { RequestCounts } from '../http/request-counts.ts';
import { createLaneRunner } from '../lanes/runner.ts';
import type { AdjustableClock } from '../local/clock.ts';
import { laneWorker } from '../local/workers.ts';
import type { Worker } from '../local/workers.ts';
import { chargesImported } from './charges-imported.ts';
import { costImportLanes } from '../cost-imports/collection.ts';
import { createFileReader } from '../cost-imports/reading/thread/threads.ts';
import { createCostImportWork } from '../cost-imports/work.ts';
import type { CostImportWork } from '../cost-imports/work.ts';
import { createEvidenceWork } from '../evidence/work.ts';
import type { EvidenceWork } from '../evidence/work.ts';
import { bundleLanes } from '../evidence/collection.ts';
import { costTagsOf, ownerTagsOf } from '../config/config.ts';
import { retentionOf } from '../config/retention.ts';
import { createUpkeep } from './upkeep.ts';
import { methodsOf } from '../prediction/service.ts';
import { automaticWork } from '../remediation/automatic.ts';
import { automationLanes, remediationLanes } from '../remediation/collection.ts';
import { createOutside } from '../remediation/executors/attempt.ts';
import { remediationWork } from '../remediation/run.ts';
import { settingsOf } from '../remediation/settings.ts';
import { createRenderer } from '../reports/rendering/thread/threads.ts';
import { reportLanes } from '../reports/collection.ts';
import { reportDeliveryLanes } from '../report-delivery/collection.ts';
import { createChannels } from '../report-delivery/channels/channels.ts';
import type { ChannelParts } from '../report-delivery/channels/channels.ts';
import { startReportDeliveries } from '../report-delivery/deliveries.ts';
import { notifyRecipients } from '../report-delivery/service.ts';
import { createLink } from '../reports/download/links.ts';
import type { Assessor } from '../rightsizing/service.ts';
import { costSources } from './cost-sources.ts';
import { createCompose } from '../reports/generation/compose-report.ts';
import { reportsAtOnce } from '../reports/generation/estimate.ts';
import { createReportWork } from '../reports/generation/report-work.ts';
import type { ReportWork } from '../reports/generation/report-work.ts';
import { scheduleLanes } from '../schedules/collection.ts';
import { startScheduleFires } from '../schedules/fire.ts';
import { deliveryEnded, scheduleReportEnded } from '../schedules/run.ts';
import type { FindSigner } from '../keys/signer.ts';
import type { FindStatementKey } from '../keys/statement-key.ts';
import { webhookLanes } from '../webhooks/collection.ts';
import { createDeliveries } from '../webhooks/delivery/deliveries.ts';
import type { UseRecord } from '../uses/record.ts';
import type { SignIn } from '../sign-in/service.ts';
import type { AttemptCounts } from '../webhooks/delivery/deliveries.ts';
import type { Send } from '../outbound/send.ts';

/** The background work: evaluation, deliveries, reports, schedules, upkeep. */
export interface BackgroundWork {
  /** The workers that moving the clock waits for; a worker that creates work for another comes before it. */
  readonly workers: readonly Worker[];
  /** Delivery counts since the start. */
  readonly attempts: Readonly<AttemptCounts>;
  readonly reportWork: ReportWork;
  readonly evidenceWork: EvidenceWork;
  readonly costImportWork: CostImportWork;
  /** Stops sending and remediating, and gives what is in flight some seconds. */
  stopSending(): Promise<void>;
  /** Starts no new work, and waits for the work in progress. */
  stop(): Promise<void>;
}

export interface BackgroundOptions {
  readonly clock: AdjustableClock;
  readonly assessor: Assessor;
  readonly authenticator: Authenticator;
  readonly signIn: SignIn;
  readonly uses: UseRecord;
  readonly requestCounts: RequestCounts;
  readonly evaluation: Evaluation;
  readonly send: Send;
  /** Signs reports. */
  readonly signer: FindSigner;
  readonly statementKey: FindStatementKey;
  /** Delivers reports. */
  readonly channels: ChannelParts;
  /** The base URL of the service, without a trailing slash. */
  readonly baseUrl: () => string;
}

const maintainEvery = 60_000;
const trimEvery = 1_000;
const saveUsesEvery = 1_000;
/** Milliseconds that a stop waits for deliveries in flight. */
const deliveriesWithin = 3_000;
/** Milliseconds that a stop waits for the current transaction of schedules. */
const firesWithin = 1_000;
/** Milliseconds that a stop waits for steps of evaluation: one that is cut off is taken again after a restart. */
const evaluationsWithin = 1_000;
/** Milliseconds that a stop waits for actions of remediations; then it ends commands. */
const actionsWithin = 3_000;
/** Milliseconds that a stop waits for reports; those that take longer start again after a restart. */
const reportsWithin = 1_000;

export function startBackgroundWork(
  deps: Deps,
  {
    clock,
    assessor,
    authenticator,
    signIn,
    uses,
    requestCounts,
    evaluation,
    send,
    signer,
    statementKey,
    channels,
    baseUrl,
  }: BackgroundOptions,
): BackgroundWork {
  const { config, targets } = channels.surroundings;
  const methods = methodsOf(config);
  const retention = retentionOf(config);
  const evaluator = createLaneRunner(deps, backgroundEvaluation(deps, evaluation, methods));
  const settings = settingsOf(config.remediation, targets.rules.local);
  const outside = createOutside(deps, { evaluation, settings, send });
  const remediator = createLaneRunner(
    deps,
    remediationWork(deps, { evaluation, settings, outside }),
  );
  const automator =
    settings.auto === 'off'
      ? undefined
      : createLaneRunner(deps, automaticWork(deps, { deps, evaluation, settings }));
  const deliveries = createDeliveries(deps, {
    send,
    createRunner: createLaneRunner,
    keptMs: retention.deliveries,
  });
  const renderer = createRenderer({ most: reportsAtOnce });
  const reportWork = createReportWork(deps, {
    evaluation,
    compose: createCompose(methods, costSources(deps, config, assessor), config.organization),
    render: renderer.render,
    signer,
    createRunner: createLaneRunner,
    async ended(tx, report) {
      await scheduleReportEnded(deps, tx, report);
      await notifyRecipients(deps, tx, report);
    },
  });
  const evidenceWork = createEvidenceWork(deps, {
    createRunner: createLaneRunner,
    statementKey,
  });
  const fileReader = createFileReader();
  const costImportWork = createCostImportWork(deps, {
    createRunner: createLaneRunner,
    readFiles: fileReader.readFiles,
    tags: costTagsOf(config),
    keptMs: retention.cost,
    imported: chargesImported(deps),
  });
  const reportDeliveries = startReportDeliveries(deps, {
    createRunner: createLaneRunner,
    send: createChannels(deps, channels),
    ended: (tx, delivery) => deliveryEnded(deps, tx, delivery),
    async makeLink(tx, { id, created_by }, format, seconds) {
      const order = { report_id: id, format, created_by };
      const { link, path } = await createLink(deps, tx, order, seconds);
      return { url: baseUrl() + path, expires_at: timestamp(link.expires_at) };
    },
  });
  const detecting = startAnomalyDetection(deps, createLaneRunner, thresholdsOf(config));
  const budgeting = startBudgetEvaluations(deps, createLaneRunner, ownerTagsOf(config));
  const fires = startScheduleFires(deps, createLaneRunner);
  const upkeep = createUpkeep(deps, {
    authenticator,
    signIn,
    uses,
    requestCounts,
    deliveries,
    statementKey,
    methods,
    retention,
  });
  const doing = (work: () => Promise<void>, failed: string) => (): void => {
    work().catch((error: unknown) => deps.log.error({ err: error }, failed));
  };
  const timers = [
    every(maintainEvery, doing(upkeep.maintain, 'maintenance failed')),
    every(trimEvery, doing(upkeep.trim, 'removing old events failed')),
    every(saveUsesEvery, doing(uses.save, 'recording credential uses failed')),
  ];
  const endListening = clock.onChange(() => {
    evaluator.poke();
    automator?.poke();
    remediator.poke();
    deliveries.poke();
    reportWork.poke();
    evidenceWork.poke();
    detecting.poke();
    budgeting.poke();
    costImportWork.poke();
    fires.poke();
    reportDeliveries.poke();
  });
  const stopSending = async (): Promise<void> => {
    await Promise.all([
      ...[deliveries, reportDeliveries].map((sending) => sending.stop(deliveriesWithin)),
      remediator.stop(actionsWithin),
    ]);
  };
  return {
    workers: [
      laneWorker(deps.store, evaluationLanes, evaluator),
      ...(automator ? [laneWorker(deps.store, automationLanes, automator)] : []),
      laneWorker(deps.store, remediationLanes, remediator),
      laneWorker(deps.store, scheduleLanes, fires),
      laneWorker(deps.store, reportLanes, reportWork),
      laneWorker(deps.store, bundleLanes, evidenceWork),
      laneWorker(deps.store, costImportLanes, costImportWork),
      laneWorker(deps.store, anomalyLanes, detecting),
      laneWorker(deps.store, budgetLanes, budgeting),
      laneWorker(deps.store, reportDeliveryLanes, reportDeliveries),
      laneWorker(deps.store, webhookLanes, deliveries),
    ],
    reportWork,
    evidenceWork,
    costImportWork,
    attempts: deliveries.attempts,
    stopSending,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      endListening();
      await Promise.all([
        upkeep.idle(),
        automator?.stop(actionsWithin),
        evaluator.stop(evaluationsWithin),
        detecting.stop(evaluationsWithin),
        budgeting.stop(evaluationsWithin),
        fires.stop(firesWithin),
        reportWork.stop(reportsWithin),
        evidenceWork.stop(reportsWithin),
        costImportWork.stop(reportsWithin),
        stopSending(),
      ]);
      await fileReader.close();
      await renderer.close();
    },
  };
}

function every(ms: number, work: () => void): NodeJS.Timeout {
  const timer = setInterval(work, ms);
  timer.unref();
  return timer;
}
