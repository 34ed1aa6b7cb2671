import { permits } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { MetricsAnswer } from '../../contract/metrics.ts';
import type { RemediationWithActions } from '../../contract/remediations.ts';
import { withheldReasons } from '../../contract/rightsizing.ts';
import type { RightsizingListQuery, WithheldReason } from '../../contract/rightsizing.ts';
import { AmountSum, showAmount } from '../../cost/amount.ts';
import { resourceKey } from '../../cost/resource-id.ts';
import { totalOfClaims } from '../../cost/rightsizing/claims.ts';
import { resizing } from '../../cost/rightsizing/machine.ts';
import type { Answer, Call, Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import type { Json } from '../json.ts';
import { nextTurn } from '../next-turn.ts';
import { readResource } from '../resources/service.ts';
import { rightsizingId } from './assess-all.ts';
import type { AboutMachine, Assessed, Assessor } from './assess-all.ts';
import type { Utilization } from './import-metrics.ts';
import { claimsOf } from './savings.ts';
import { showAssessed } from './show.ts';

export const metricsHandlers = ({ import: store }: Utilization): Handlers['metrics'] => ({
  import: async ({ body, query }, call) => {
    if (await call.isRepeated()) {
      for await (const chunk of body) void chunk;
      return call.transact<Json<MetricsAnswer>>(() => {
        throw new Error('a repeated request has a stored response');
      });
    }
    const { actor, signal } = call;
    const options = { actor, signal, body, skipsUnknown: query.unknown === 'skip' };
    return store(options, (work) =>
      call.transact(async (tx) => ({ body: toJson(await work(tx)) })),
    );
  },
});

/** Plans a remediation that changes a size, see `createResizer`. */
export type Resize = (
  call: Call,
  resizing: {
    readonly id: string;
    readonly resource_id: string;
    readonly patch: Readonly<Record<string, unknown>>;
    readonly note: string;
  },
) => Promise<Answer<Json<RemediationWithActions>>>;

export const rightsizingHandlers = (
  { store }: Pick<Deps, 'store'>,
  { assessAll }: Assessor,
  resize: Resize,
): Handlers['rightsizing'] => {
  async function find(id: string, assumedMemory: number | undefined): Promise<Assessed> {
    const { byId, machines, stopped } = await assessAll(assumedMemory);
    const found =
      byId.get(id) ??
      byId.get(rightsizingId(id)) ??
      machines.find(({ resource }) => isNamed(resource, id));
    if (found) return found;
    const isStopped = stopped.some(
      (one) => one.id === id || rightsizingId(one.id) === id || isNamed(one, id),
    );
    const shown = JSON.stringify(id.slice(0, 100));
    throw new GovctlError(
      'rightsizing_not_found',
      isStopped
        ? `The virtual machine ${shown} is not running, so it is unused rather than too large`
        : `There is no virtual machine ${shown}`,
      { hint: 'Use `govctl cost rightsizing` to see the IDs.' },
    );
  }

  return {
    list: async ({ query }) => {
      const { machines, stopped } = await assessAll(query.assume_memory);
      const { limit, offset = 0 } = query;
      const { matching, kinds, reasons } = await sift(machines, query);
      const rows = ordered(
        matching.filter(({ assessment }) => query.status.includes(assessment.kind)),
        query,
      );
      const page = rows.slice(offset, offset + limit);
      return {
        body: toJson({
          recommendations: page.map(showAssessed),
          pagination: {
            total: rows.length,
            limit,
            offset,
            has_more: offset + page.length < rows.length,
          },
          totals: totalsOf(matching),
          counts: {
            ...kinds,
            stopped: stopped.filter((resource) => isWhere(resource, query)).length,
          },
          withheld: withheldReasons.flatMap((reason) => {
            const its = reasons.get(reason) ?? 0;
            return its === 0 ? [] : [{ reason, count: its }];
          }),
        }),
      };
    },

    get: async ({ params: { id }, query }) => ({
      body: toJson(showAssessed(await find(id, query.assume_memory))),
    }),

    apply: async ({ params: { id }, body }, call) => {
      refuseScope(call);
      const { id: own, assessment, resource, size: before } = await find(id, body.assume_memory);
      if (assessment.kind !== 'recommended') {
        const why =
          assessment.kind === 'fits'
            ? 'no smaller size of the same family fits'
            : `no size is recommended: ${assessment.reason}`;
        throw new GovctlError('rightsizing_withheld', `Nothing to apply: ${why}`);
      }
      const fitting = [assessment.best, ...assessment.others].map(({ size }) => size.name);
      const wanted = body.size?.toLowerCase();
      const after = fitting.find((name) => wanted === undefined || name.toLowerCase() === wanted);
      if (after === undefined) {
        throw new GovctlError(
          'rightsizing_withheld',
          `${JSON.stringify(body.size)} is not one of the sizes that fit: ${fitting.join(', ')}`,
        );
      }
      const { resource: current } = (await readResource(store, resource.id)).doc;
      const note = `Rightsizing: ${before} to ${after}`;
      const patch = resizing(current, after);
      return resize(call, { id: own, resource_id: resource.id, patch, note });
    },
  };
};

/** Whether a machine is the one that exports call so: by its instance ID where the inventory has an ARN, or the other way round. */
function isNamed(
  { id, provider, type }: Pick<AboutMachine, 'id' | 'provider' | 'type'>,
  name: string,
): boolean {
  const key = resourceKey(provider, id, type);
  return key?.isUnique === true && key.text === resourceKey(provider, name, type)?.text;
}

/** Machines between two turns of others. */
const machinesPerTurn = 5_000;

/** The machines that a query is about, whatever their status, and how many of each kind there are where it looks. */
async function sift(machines: readonly Assessed[], query: RightsizingListQuery) {
  const kinds = { recommended: 0, withheld: 0, fits: 0 };
  const reasons = new Map<WithheldReason, number>();
  const matching: Assessed[] = [];
  for (const [at, one] of machines.entries()) {
    if (at > 0 && at % machinesPerTurn === 0) await nextTurn();
    if (!isWhere(one.resource, query)) continue;
    kinds[one.assessment.kind] += 1;
    const reason = reasonOf(one.assessment);
    if (reason) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (isAsked(one, query)) matching.push(one);
  }
  return { matching, kinds, reasons };
}

/** What makes a remediation takes it. @throws GovctlError insufficient_scope */
function refuseScope({ principal: { scopes } }: Call): void {
  if (permits(scopes, 'compliance:write')) return;
  throw new GovctlError(
    'insufficient_scope',
    'Planning a remediation also requires the scope compliance:write',
  );
}

const reasonOf = (assessment: Assessed['assessment']) =>
  assessment.kind === 'withheld' ? assessment.reason : undefined;

const isOneOf = (wanted: readonly string[] | undefined, value: string | undefined): boolean =>
  wanted === undefined || (value !== undefined && wanted.includes(value));

const isWhere = (
  of: Pick<AboutMachine, 'provider'> & Partial<Pick<AboutMachine, 'account_id' | 'region' | 'environment'>>, // prettier-ignore
  query: RightsizingListQuery,
): boolean =>
  isOneOf(
    query.provider?.map((one) => one.toLowerCase()),
    of.provider.toLowerCase(),
  ) &&
  isOneOf(query.account_id, of.account_id) &&
  isOneOf(query.region, of.region) &&
  isOneOf(query.environment, of.environment);

const isAsked = ({ assessment }: Assessed, { risk, reason }: RightsizingListQuery): boolean =>
  isOneOf(risk, assessment.kind === 'recommended' ? assessment.risk : undefined) &&
  isOneOf(reason, reasonOf(assessment));

/** @param rows those that save most first */
function ordered(
  rows: readonly Assessed[],
  { sort_by: by, order }: RightsizingListQuery,
): readonly Assessed[] {
  const sorted =
    by === 'resource_id' ? rows.toSorted((a, b) => (a.resource.id > b.resource.id ? -1 : 1)) : rows;
  return order === 'desc' ? sorted : sorted.toReversed();
}

function totalsOf(matching: readonly Assessed[]) {
  const savings = totalOfClaims(claimsOf(matching));
  const sums = new Map<string, { sum: AmountSum; resources: number }>();
  for (const { assessment, cost } of matching) {
    if (assessment.kind !== 'recommended' || !cost) continue;
    const own = sums.get(cost.currency) ?? { sum: new AmountSum(), resources: 0 };
    own.sum.add(cost.monthly_cost);
    own.resources += 1;
    sums.set(cost.currency, own);
  }
  return [...savings].map(([currency, saving]) => {
    const { sum, resources = 0 } = sums.get(currency) ?? {};
    return {
      currency,
      resources,
      monthly_cost: showAmount(sum?.total ?? saving),
      monthly_saving: showAmount(saving),
    };
  });
}
