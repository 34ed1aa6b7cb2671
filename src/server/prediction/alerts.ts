import { GovctlError } from '../../contract/errors.ts';
import { defined } from '../../contract/defined.ts';
import type { Severity } from '../../contract/policies.ts';
import { severities } from '../../contract/policies.ts';
import type { PredictionMethod, PredictiveAlert } from '../../contract/predictions.ts';
import { matchesType } from '../../contract/resources.ts';
import { describeExemption } from '../../engine/evaluate.ts';
import { exemptionEnd } from '../../engine/exempt.ts';
import { timestamp } from '../deps.ts';
import { namedPolicy } from '../evaluation/named-policy.ts';
import { createFindCover, exemptions, exemptionsOf, namesOf } from '../exemptions/collection.ts';
import type { StoredExemption } from '../exemptions/collection.ts';
import { firstOf } from '../first-of.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { nextTurn } from '../next-turn.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { allPages, allRows } from '../store/all-rows.ts';
import type { CollectionSpec, Document, Reader, Versioned } from '../store/store.ts';
import { pairOf, violations } from '../violations/collection.ts';
import type { StoredViolation } from '../violations/collection.ts';
import { alertId, flips, forecasts } from './collection.ts';
import type { StoredFlip, StoredForecast } from './collection.ts';

/** Which alerts are asked for; what is absent does not count. */
export interface AlertFilter {
  /** Milliseconds since the epoch: the last moment of a violation to come. */
  readonly until: number;
  readonly min_confidence?: number | undefined;
  readonly method?: readonly PredictionMethod[] | undefined;
  readonly severity?: readonly Severity[] | undefined;
  readonly policy_id?: readonly string[] | undefined;
  readonly environments?: readonly string[] | undefined;
  readonly cloud_providers?: readonly string[] | undefined;
  readonly account_ids?: readonly string[] | undefined;
}

/** What is asked, and when. */
export interface Asked {
  readonly reader: Reader;
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** Aborts where nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** Those that are on. */
  readonly methods: ReadonlySet<PredictionMethod>;
}

/** Dates that are looked at for one answer. */
const mostLookedAt = 100_000;
const pageSize = 200;
/** Exemptions whose violations are looked up between two turns of others. */
const exemptionsPerTurn = 20;

/**
 * The next violations to come, soonest first, the graver ones first where they come at once.
 * @throws GovctlError malformed_request where more dates than can be looked at come before those that are asked for
 */
export async function collectAlerts(
  asked: Asked,
  filter: AlertFilter,
  most: number,
): Promise<PredictiveAlert[]> {
  const walk = createWalk(asked, filter);
  const isAsked = (method: PredictionMethod): boolean =>
    asked.methods.has(method) && (filter.method?.includes(method) ?? true);
  const found = [
    ...(isAsked('date_certain') ? await walk.dates(most) : []),
    ...(isAsked('exemption_expiry') ? await walk.expiries(most) : []),
    ...(isAsked('trend') ? await walk.forecasts('trend', most) : []),
    ...(isAsked('recurrence') ? await walk.forecasts('recurrence', most) : []),
  ];
  // A date that moved on while they were read is there twice; its last one counts.
  const each = new Map(found.map((alert) => [alert.id, alert]));
  return firstOf(
    each.values(),
    (a, b) => compare(a.at, b.at) || gravityOf(b) - gravityOf(a) || compare(a.id, b.id),
    most,
  );
}

const gravities = new Map(severities.map((one, at) => [severityOf(one), at]));

export const gravityOf = ({ severity }: PredictiveAlert): number => gravities.get(severity) ?? -1;

/** The alert of this id, if it is about a violation before `until`. */
export async function findAlert(
  asked: Asked,
  { id, until }: { readonly id: string; readonly until: number },
): Promise<PredictiveAlert | undefined> {
  const flip = (await asked.reader.get(flips, id))?.doc;
  if (flip?.at !== undefined && asked.methods.has('date_certain')) {
    return createWalk(asked, { until }).ofFlip(flip);
  }
  const forecast = (await asked.reader.get(forecasts, id))?.doc;
  if (forecast && asked.methods.has(forecast.method)) {
    return createWalk(asked, { until }).ofForecast(forecast);
  }
  const violation = (await asked.reader.find(violations, 'expiry_alert', id))?.doc;
  return violation && asked.methods.has('exemption_expiry')
    ? createWalk(asked, { until }).ofCovered(violation)
    : undefined;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function createWalk({ reader, now, signal }: Omit<Asked, 'methods'>, filter: AlertFilter) {
  let left = mostLookedAt;
  const known = new Map<string, Promise<KnownPolicy | undefined>>();
  const policyOf = (id: string) => {
    const found = known.get(id) ?? readPolicy(reader, id);
    known.set(id, found);
    return found;
  };
  const where: Filters = {
    ...anyOf({ account_id: filter.account_ids, environment: filter.environments, provider: filter.cloud_providers, policy_id: filter.policy_id }, ['account_id', 'environment', 'provider', 'policy_id']), // prettier-ignore
  };
  const isWanted = (alert: PredictiveAlert): boolean =>
    alert.confidence >= (filter.min_confidence ?? 0) &&
    (!filter.severity || filter.severity.some((one) => one.toLowerCase() === alert.severity));

  const findCover = createFindCover(now);
  const look = async (): Promise<void> => {
    if (left-- === 0) {
      throw new GovctlError(
        'malformed_request',
        `There are more than ${mostLookedAt} dates within the horizon`,
        { hint: 'Use fewer horizon_days, or filter by policy, account or environment.' },
      );
    }
    if (left % pageSize === 0) await nextTurn();
    signal.throwIfAborted();
  };

  /** Of the exemptions that cover the violation at that moment, the one that does so the longest. */
  const coverAt = (known: KnownPolicy, resourceId: string, at: number) =>
    findCover(known.exemptions, known.named, resourceId, at);

  /** Undefined where the date is of no concern any more, or an exemption covers it. */
  async function ofFlip(flip: StoredFlip): Promise<PredictiveAlert | undefined> {
    const policy = await policyOf(flip.policy_id);
    if (!policy || !matchesType(policy.row.resource_type, flip.resource_type)) return undefined;
    const cover = await coverAt(policy, flip.resource_id, Date.parse(flip.at ?? ''));
    return cover ? undefined : alertOfFlip(flip, policy, now);
  }

  /** Undefined where it is of no concern any more, an exemption covers it, or it fails already. */
  async function ofForecast(forecast: StoredForecast): Promise<PredictiveAlert | undefined> {
    const policy = await policyOf(forecast.policy_id);
    if (!policy || !matchesType(policy.row.resource_type, forecast.resource_type)) return undefined;
    const pair = pairOf(forecast.policy_id, forecast.resource_id);
    const violation = (await reader.find(violations, 'pair', pair))?.doc;
    if (violation && violation.status !== 'RESOLVED') return undefined;
    const cover = await coverAt(policy, forecast.resource_id, Date.parse(forecast.at));
    return cover ? undefined : alertOfForecast(forecast, policy.row, now);
  }

  /** Undefined where no exemption covers it now, or one does so beyond what is asked for. */
  async function ofCovered(violation: StoredViolation): Promise<PredictiveAlert | undefined> {
    const policy = await policyOf(violation.policy_id);
    const last = policy && (await coverAt(policy, violation.resource_id, now));
    if (!last || exemptionEnd(last.expires) > filter.until) return undefined;
    return alertOfExpiry(violation, last, now);
  }

  return {
    ofForecast,
    ofCovered,
    async forecasts(method: StoredForecast['method'], most: number): Promise<PredictiveAlert[]> {
      const found: PredictiveAlert[] = [];
      const its = { ...where, method: { any: [method] } };
      for await (const { doc: forecast } of inOrder(reader, forecasts, 'at', its)) {
        const at = Date.parse(forecast.at);
        if (at > filter.until || found.length >= most) break;
        // It has not come, and the next pass looks again.
        if (at <= now) continue;
        await look();
        const alert = await ofForecast(forecast);
        if (alert && isWanted(alert)) found.push(alert);
      }
      return found;
    },
    async dates(most: number): Promise<PredictiveAlert[]> {
      const found: PredictiveAlert[] = [];
      const coming = { ...where, coming: { any: ['yes'] } };
      for await (const { doc: flip } of inOrder(reader, flips, 'at', coming)) {
        if (Date.parse(flip.at ?? '') > filter.until || found.length >= most) break;
        await look();
        const alert = await ofFlip(flip);
        if (alert && isWanted(alert)) found.push(alert);
      }
      return found;
    },
    ofFlip,
    async expiries(most: number): Promise<PredictiveAlert[]> {
      const found: PredictiveAlert[] = [];
      const active = { status: { any: ['active'] } };
      let seen = 0;
      for await (const { doc: exemption } of inOrder(reader, exemptions, 'expires', active)) {
        if (exemptionEnd(exemption.expires) > filter.until || found.length >= most) break;
        if ((seen += 1) % exemptionsPerTurn === 0) await nextTurn();
        signal.throwIfAborted();
        const covered = { ...where, exemption_id: { any: [exemption.id] } };
        for await (const { doc } of allRows(reader, violations, covered)) {
          await look();
          const alert = await ofCovered(doc);
          if (alert && isWanted(alert)) found.push(alert);
        }
      }
      return found;
    },
  };
}

interface KnownPolicy {
  readonly row: StoredPolicy;
  readonly named: ReturnType<typeof namedPolicy>;
  /** Those that end last come first: none has a beginning, so the first that covers a violation covers it the longest. */
  readonly exemptions: readonly StoredExemption[];
  readonly baseRate: number | null;
}

/** Undefined where there is no such policy, or it is disabled. */
async function readPolicy(reader: Reader, id: string): Promise<KnownPolicy | undefined> {
  const row = (await reader.get(policies, id))?.doc;
  if (!row?.enabled) return undefined;
  await nextTurn();
  const named = namedPolicy(row);
  const known = await exemptionsOf(reader, namesOf(named));
  return {
    row,
    named,
    exemptions: known.toSorted((a, b) => compare(b.expires, a.expires)),
    baseRate: await baseRateOf(reader, id),
  };
}

/** Resources whose dates came or were moved away: fewer tell nothing, more tell nothing else. */
const fewestCounted = 20;
const mostCounted = 1_000;

/** The share of a policy's resources whose dates came at least once. */
async function baseRateOf(reader: Reader, policyId: string): Promise<number | null> {
  const { rows } = await reader.page(flips, {
    where: { counted: { any: [policyId] } },
    orderBy: 'id',
    direction: 'asc',
    limit: mostCounted,
  });
  if (rows.length < fewestCounted) return null;
  const came = rows.filter(({ doc }) => doc.missed > 0).length;
  return Math.round((came / rows.length) * 1_000) / 1_000;
}

const day = 86_400_000;

const daysUntil = (at: number, now: number): number => Math.max(0, Math.floor((at - now) / day));

function severityOf(severity: Severity) {
  return severity.toLowerCase() as PredictiveAlert['severity'];
}

/** How sure a date is: it was moved away `renewed` times before it came, and came `missed` times. */
const confidenceOf = ({ renewed, missed }: Pick<StoredFlip, 'renewed' | 'missed'>): number =>
  Math.round(((missed + 1) / (missed + renewed + 1)) * 1_000) / 1_000;

function alertOfFlip(
  flip: StoredFlip,
  { row, baseRate }: KnownPolicy,
  now: number,
): PredictiveAlert {
  const at = flip.at ?? '';
  return {
    id: flip.id,
    severity: severityOf(row.severity ?? 'MEDIUM'),
    resource: flip.resource_id,
    predicted_violation: row.name,
    confidence: confidenceOf(flip),
    days_until_violation: daysUntil(Date.parse(at), now),
    recommendation: flip.message || `Review policy ${row.name}.`,
    method: 'date_certain',
    at,
    observations: flip.renewed + flip.missed,
    base_rate: baseRate,
    policy_id: flip.policy_id,
    resource_id: flip.resource_id,
    resource_type: flip.resource_type,
    provider: flip.provider,
    ...defined({ account_id: flip.account_id, environment: flip.environment }),
  };
}

function alertOfForecast(
  { id, method, at, interval, because, confidence, observations, ...forecast }: StoredForecast,
  row: StoredPolicy,
  now: number,
): PredictiveAlert {
  return {
    id,
    severity: severityOf(row.severity ?? 'MEDIUM'),
    resource: forecast.resource_id,
    predicted_violation: row.name,
    confidence,
    days_until_violation: daysUntil(Date.parse(at), now),
    recommendation: forecast.message || `Review policy ${row.name}.`,
    method,
    at,
    ...(interval ? { interval: [...interval] } : {}),
    because,
    observations,
    base_rate: forecast.base_rate,
    policy_id: forecast.policy_id,
    resource_id: forecast.resource_id,
    resource_type: forecast.resource_type,
    provider: forecast.provider,
    ...defined({ account_id: forecast.account_id, environment: forecast.environment }),
  };
}

function alertOfExpiry(
  violation: StoredViolation,
  exemption: StoredExemption,
  now: number,
): PredictiveAlert {
  const end = exemptionEnd(exemption.expires);
  return {
    id: alertId(violation.policy_id, violation.resource_id, 'exemption_expiry'),
    severity: severityOf(violation.severity),
    resource: violation.resource_id,
    predicted_violation: violation.policy_name,
    confidence: 1,
    days_until_violation: daysUntil(end, now),
    recommendation: `The exemption ends: ${describeExemption(exemption)}. ${violation.message}`,
    method: 'exemption_expiry',
    at: timestamp(end),
    observations: 0,
    base_rate: null,
    policy_id: violation.policy_id,
    resource_id: violation.resource_id,
    resource_type: violation.resource_type,
    provider: violation.provider,
    ...defined({ account_id: violation.account_id, environment: violation.environment }),
    exemption_id: exemption.id,
  };
}

async function* inOrder<T extends Document>(
  reader: Reader,
  collection: CollectionSpec<T>,
  orderBy: string,
  where: Filters,
): AsyncGenerator<Versioned<T>> {
  const pages = allPages(reader, collection, { where, orderBy, direction: 'asc' });
  for await (const rows of pages) yield* rows;
}
