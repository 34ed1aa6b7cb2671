import type { PredictionMethod } from '../../contract/predictions.ts';
import { removeOldEntries } from '../audit/anchor.ts';
import { tellHead } from '../audit/head.ts';
import { announceExpiring } from '../auth/announce.ts';
import type { Authenticator } from '../auth/service.ts';
import type { Retention } from '../config/retention.ts';
import type { Deps } from '../deps.ts';
import { areMany, mostKept, removeOldEvents } from '../events/retention.ts';
import { scheduleForecasts } from '../evaluation/schedule-forecasts.ts';
import type { FindStatementKey } from '../keys/statement-key.ts';
import type { RequestCounts } from '../http/request-counts.ts';
import { keepScore } from '../posture/score-days.ts';
import { removeOldSamples } from '../scans/samples.ts';
import { maintainSigningKeys } from '../oauth/service.ts';
import type { SignIn } from '../sign-in/service.ts';
import type { UseRecord } from '../uses/record.ts';
import { removeOldPoints } from '../prediction/old-points.ts';
import type { Deliveries } from '../webhooks/delivery/deliveries.ts';
import { limitQueues } from '../webhooks/delivery/limit-queues.ts';
import { eventOf } from '../webhooks/delivery/work.ts';
import { removeExpired } from './expiry.ts';
import { modules } from './modules.ts';

/** Maintenance. Runs one task at a time; calling a task that is already running returns the same run. */
export interface Upkeep {
  /**
   * Call every minute: removes expired documents, stores uses of keys, failed sign-ins and counts of requests, tells of
   * keys that expire, replaces keys of ID tokens, checks company accounts.
   */
  maintain(): Promise<void>;
  /** Call every second: an import creates events so fast that the oldest must be removed, or dropped, sooner than in a minute. */
  trim(): Promise<void>;
  /** Resolves when nothing is running. */
  idle(): Promise<void>;
}

export interface UpkeepOptions {
  readonly authenticator: Pick<Authenticator, 'saveLastUses'>;
  readonly signIn: Pick<SignIn, 'saveFailures' | 'checkAccounts'>;
  readonly uses: Pick<UseRecord, 'removeOld'>;
  readonly requestCounts: Pick<RequestCounts, 'save'>;
  readonly deliveries: Pick<Deliveries, 'maintain'> | undefined;
  readonly statementKey: FindStatementKey;
  /** Methods of prediction that are on. */
  readonly methods: ReadonlySet<PredictionMethod>;
  readonly retention: Retention;
  /** Maximum number of events, however new. */
  readonly mostEvents?: number;
  /** Maximum number of events that wait for one webhook; default: 100,000. */
  readonly mostWaiting?: number;
}

export function createUpkeep(
  deps: Deps,
  {
    authenticator,
    signIn,
    uses,
    requestCounts,
    deliveries,
    statementKey,
    methods,
    retention,
    mostEvents = mostKept,
    mostWaiting,
  }: UpkeepOptions,
): Upkeep {
  const { store } = deps;
  const queueLimits = { most: mostWaiting, keptMs: retention.events };
  /** Events over the maximum at the last run: a webhook still needs them. */
  let surplus = 0;
  let maintaining: Promise<void> | undefined;
  let trimming: Promise<void> | undefined;

  async function maintainNow(): Promise<void> {
    // Also where the disk is full.
    await uses.removeOld();
    if (!store.health().writable) return;
    await authenticator.saveLastUses();
    await signIn.saveFailures();
    await requestCounts.save();
    for (const { collections } of modules) {
      for (const collection of collections) {
        await removeExpired(deps, collection, retention);
      }
    }
    await removeOldSamples(deps);
    await removeOldEntries(deps, statementKey, retention.audit_log);
    await removeOldPoints(deps, retention.attribute_history);
    await tellHead(deps, statementKey);
    await announceExpiring(deps);
    await maintainSigningKeys(deps);
    await keepScore(deps);
    await scheduleForecasts(deps, methods);
    await limitQueues(deps, queueLimits);
    surplus = await removeOldEvents(deps, eventOf, { most: mostEvents, keptMs: retention.events });
    await deliveries?.maintain();
    // Last, as others answer to it.
    await signIn.checkAccounts();
  }

  async function trimNow(): Promise<void> {
    if (!store.health().writable) return;
    await limitQueues(deps, queueLimits);
    if (!(await areMany(store, surplus, mostEvents))) return;
    surplus = await removeOldEvents(deps, eventOf, { most: mostEvents, keptMs: retention.events });
  }

  return {
    maintain: () =>
      (maintaining ??= ended(trimming)
        .then(maintainNow)
        .finally(() => (maintaining = undefined))),
    trim: () =>
      (trimming ??= ended(maintaining)
        .then(trimNow)
        .finally(() => (trimming = undefined))),
    async idle() {
      await ended(maintaining);
      await ended(trimming);
    },
  };
}

/** Ignores errors here: the caller that started the run handles them. */
const ended = async (work: Promise<void> | undefined): Promise<void> =>
  work?.catch(() => undefined);
