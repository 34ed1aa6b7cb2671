import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { policyObjects } from '../../client/objects.ts';
import type { Policy } from '../../contract/policies.ts';
import { matchesType, typeKey } from '../../contract/resources.ts';
import type { AnsweredResource } from '../../contract/resources.ts';
import type { Violation } from '../../contract/violations.ts';
import type { VerdictSeries } from '../../engine/predict/backtest.ts';
import { verdictHistory } from '../../engine/predict/verdict-history.ts';
import { collectPages } from '../objects/collect-pages.ts';
import type { PageOf } from '../objects/collect-pages.ts';
import type { OwnApi, WithId } from '../objects/noun.ts';
import type { History } from './read-dataset.ts';

/** Violations, and resources, that are read. */
const most = 100_000;

/**
 * What the service knows of how its verdicts changed: the history of each violation, and that everything else passed since
 * its policy and resource came together.
 */
export async function readStored(client: Client, now: number): Promise<History> {
  const enabled: Policy[] = [];
  for await (const policy of listAll(client, policyObjects))
    if (policy.enabled) enabled.push(policy);
  const violations = await readRows<Violation>(client.violations, 'violations');
  const resources = await readRows<AnsweredResource>(client.resources, 'resources');
  const ofPair = new Map(
    violations.rows.map((one) => [JSON.stringify([one.policy_id, one.resource_id]), one]),
  );
  const series: VerdictSeries[] = [];
  for (const { id, created_at: since, resource_type: about } of enabled) {
    for (const { id: resource, type, _meta: meta } of resources.rows) {
      if (!matchesType(about, type)) continue;
      const pair = JSON.stringify([id, resource]);
      const from = Math.max(Date.parse(since ?? meta.created_at), Date.parse(meta.created_at));
      const history = verdictHistory(ofPair.get(pair)?.history ?? [], from);
      ofPair.delete(pair);
      series.push({ policy: id, type: typeKey(type), history });
    }
  }
  // Their policy or resource is gone, and nobody knows since when they were there.
  for (const { policy_id: policy, resource_type: type, history } of ofPair.values()) {
    const from = Date.parse(history[0]?.at ?? '');
    series.push({ policy, type: typeKey(type), history: verdictHistory(history, from) });
  }
  return {
    series,
    until: now,
    isCut: [violations, resources].some(({ pagination }) => pagination.has_more),
  };
}

const readRows = <Row extends WithId>({ list }: OwnApi<Row>, plural: string) =>
  collectPages<Row>(most, plural, async (query) => {
    if (!list) throw new TypeError(`${plural} cannot be listed`);
    const { data, characters } = await list({ query });
    const answer = data as Readonly<Record<string, unknown>>;
    // The shape is the contract's.
    return { rows: answer[plural], pagination: answer.pagination, characters } as PageOf<Row>;
  });
