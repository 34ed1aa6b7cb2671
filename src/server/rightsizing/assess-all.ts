import { hash } from 'node:crypto';
import type { KnownResource } from '../../contract/resources.ts';
import { compare, zero } from '../../cost/amount.ts';
import type { Amount } from '../../cost/amount.ts';
import type { ResourceCosts } from '../../cost/resource-costs.ts';
import { isStopped, sizeOf } from '../../cost/rightsizing/machine.ts';
import { assess } from '../../cost/rightsizing/rule.ts';
import type { Assessment } from '../../cost/rightsizing/rule.ts';
import { savingOf } from '../../cost/rightsizing/saving.ts';
import type { Saving } from '../../cost/rightsizing/saving.ts';
import type { Measured } from '../../cost/rightsizing/series.ts';
import { dayNumber } from '../../cost/table/days.ts';
import { costPeriods } from '../cost/collection.ts';
import { monthlyCosts } from '../cost/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { nextTurn } from '../next-turn.ts';
import { resources } from '../resources/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { allMachines } from './machines.ts';
import { lookBackDays, measure, partsSince } from './measure.ts';
import type { Measurements } from './measure.ts';

type AboutField = 'name' | 'account_id' | 'region' | 'environment';

/** As the inventory has it. */
export interface AboutMachine
  extends
    Pick<KnownResource, 'id' | 'type' | 'provider'>,
    Readonly<Record<AboutField, string | undefined>> {}

/** A virtual machine, what is known of it, and what is recommended. */
export interface Assessed {
  readonly id: string;
  readonly resource: AboutMachine;
  readonly size: string | undefined;
  readonly cpu: Measured | undefined;
  readonly memory: Measured | undefined;
  readonly assumedMemory: number | undefined;
  readonly assessment: Assessment;
  readonly cost: (Saving & { readonly currency: string; readonly paid: Amount; readonly hours: number }) | undefined; // prettier-ignore
}

/** All machines that run, those that save most first; and those that do not run. */
interface AssessedAll {
  readonly machines: readonly Assessed[];
  readonly byId: ReadonlyMap<string, Assessed>;
  readonly stopped: readonly KnownResource[];
}

export const rightsizingId = (resourceId: string): string =>
  `rsz_${hash('sha256', resourceId, 'hex').slice(0, 32)}`;

export interface Assessor {
  /** What is known by now: made once from the same inventory, utilization and cost. @param assumedMemory percent */
  assessAll(assumedMemory?: number): Promise<AssessedAll>;
}

/** Made for so many values of assumed memory. */
const mostMade = 3;
/** Machines between two turns of others. */
const machinesPerTurn = 200;
/** What is replaced while it is read is read again. */
const mostTries = 3;

export function createAssessor(deps: Deps): Assessor {
  const { store, clock } = deps;
  let measured:
    { readonly stamp: string; readonly measurements: Promise<Measurements> } | undefined;
  const made = new Map<string, Promise<AssessedAll>>();

  async function measurementsAt(today: number): Promise<readonly [string, Measurements]> {
    for (let tries = 1; ; tries++) {
      const { parts, stamp } = await partsSince(store, today);
      if (measured?.stamp !== stamp)
        measured = { stamp, measurements: measure(store, parts, today) };
      const mine = measured;
      try {
        return [stamp, await mine.measurements];
      } catch (error) {
        if (measured === mine) measured = undefined;
        if (tries === mostTries) throw error;
      }
    }
  }

  async function assessNow(
    measurements: Measurements,
    today: number,
    assumedMemory: number | undefined,
  ): Promise<AssessedAll> {
    const costs = await monthlyCosts(deps);
    const hours = await hoursOfCost(store, today);
    const machines: Assessed[] = [];
    const stopped: KnownResource[] = [];
    let seen = 0;
    for await (const resource of allMachines(store)) {
      if (isStopped(resource)) stopped.push(resource);
      else machines.push(assessOne(resource, { measurements, costs, hours, assumedMemory }));
      if ((seen += 1) % machinesPerTurn === 0) await nextTurn();
    }
    machines.sort((a, b) => compare(savingIn(b), savingIn(a)) || (a.id < b.id ? -1 : 1));
    return { machines, byId: new Map(machines.map((one) => [one.id, one])), stopped };
  }

  return {
    async assessAll(assumedMemory) {
      const today = dayNumber(timestamp(clock.now()).slice(0, 10));
      const [stamp, measurements] = await measurementsAt(today);
      const key = JSON.stringify([stamp, await inventoryStamp(store), await costStamp(store), assumedMemory]); // prettier-ignore
      const known = made.get(key);
      if (known) return known;
      const making = assessNow(measurements, today, assumedMemory);
      made.set(key, making);
      making.catch(() => made.delete(key));
      for (const old of [...made.keys()].slice(0, -mostMade)) made.delete(old);
      return making;
    },
  };
}

const savingIn = ({ assessment, cost }: Assessed): Amount =>
  (assessment.kind === 'recommended' && cost?.monthly_saving) || zero;

interface Known {
  readonly measurements: Measurements;
  readonly costs: ResourceCosts | undefined;
  /** Of the cost that is known, by provider. */
  readonly hours: ReadonlyMap<string, number>;
  readonly assumedMemory: number | undefined;
}

function assessOne(
  known: KnownResource,
  { measurements, costs, hours, assumedMemory: assumed }: Known,
): Assessed {
  const { id, type, name, provider, account_id, region, environment } = known;
  const resource = { id, type, name, provider, account_id, region, environment };
  const size = sizeOf(known);
  const cpu = measurements.find(id, 'cpu', size ?? '');
  const memory = measurements.find(id, 'memory', size ?? '');
  const assumedMemory = memory ? undefined : assumed;
  const assessment = assess({ provider, size, cpu, memory, assumedMemory });
  const about = { id: rightsizingId(id), resource, size, cpu, memory, assumedMemory, assessment };
  const time = hours.get(provider) ?? 0;
  const paid = costs?.ofMost(resource);
  const current = assessment.kind === 'withheld' ? undefined : assessment.current;
  const target = assessment.kind === 'recommended' ? assessment.best.size : current;
  const saving = paid && current && target && savingOf(paid.amount, time, current, target);
  const cost = saving && { ...saving, currency: paid.currency, paid: paid.amount, hours: time };
  return { ...about, cost };
}

/** Of the last 30 days, those that charges are known of, by provider: of several billing accounts, the most. */
async function hoursOfCost(reader: Reader, today: number): Promise<ReadonlyMap<string, number>> {
  const spans = new Map<string, { provider: string; from: number; to: number }>();
  for await (const { doc } of allRows(reader, costPeriods, {})) {
    const { provider, billing_account: account, first_day: first, last_day: last } = doc;
    const key = JSON.stringify([provider, account]);
    const span = spans.get(key) ?? { provider, from: Infinity, to: 0 };
    span.from = Math.min(span.from, dayNumber(first));
    span.to = Math.max(span.to, Math.min(dayNumber(last) + 1, today));
    spans.set(key, span);
  }
  const hours = new Map<string, number>();
  for (const { provider, from, to } of spans.values()) {
    const days = Math.max(0, Math.min(lookBackDays, to - from));
    hours.set(provider, Math.max(hours.get(provider) ?? 0, days * 24));
  }
  return hours;
}

/** Another one where a resource was stored or removed. */
async function inventoryStamp(reader: Reader): Promise<string> {
  const newest = { orderBy: 'updated_at', direction: 'desc', limit: 1 } as const;
  const { rows, total } = await reader.page(resources, newest);
  return JSON.stringify([total, rows[0]?.doc.id, rows[0]?.revision]);
}

async function costStamp(reader: Reader): Promise<string> {
  const all: string[] = [];
  for await (const { doc } of allRows(reader, costPeriods, {})) all.push(doc.id, doc.content);
  return JSON.stringify(all);
}
