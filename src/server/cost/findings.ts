import type { CostAnalysis, CostAnalysisQuery } from '../../contract/cost.ts';
import { showAmount } from '../../cost/amount.ts';
import { anomalies } from '../anomalies/collection.ts';
import type { StoredAnomaly } from '../anomalies/collection.ts';
import type { Deps } from '../deps.ts';
import { anyOf } from '../http/paging.ts';
import { savingsNow } from '../rightsizing/service.ts';
import type { Assessor } from '../rightsizing/service.ts';
import { allPages } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { selectUnused, showUnused, unusedNow } from '../unused/service.ts';

type Findings = Pick<CostAnalysis, 'anomalies' | 'unused_resources' | 'savings'>;

const mostListed = 10;

interface FindIn {
  /** The days of the analysis; `end` is the day after the last. */
  readonly start: string;
  readonly end: string;
  readonly filters: Pick<CostAnalysisQuery, 'provider' | 'account' | 'service' | 'currency' | 'region' | 'environment'>; // prettier-ignore
  readonly signal: AbortSignal;
}

/** What other nouns find about cost. */
export async function costFindings(
  deps: Deps,
  assessor: Assessor,
  asked: FindIn,
): Promise<Findings> {
  const unused = await unusedNow(deps, asked.signal);
  const { savings } = await savingsNow(deps, assessor, () => true, asked.signal);
  return {
    anomalies: await anomaliesIn(deps.store, asked),
    unused_resources: selectUnused(unused, asked.filters).slice(0, mostListed).map(showUnused),
    savings: savings.map(([currency, amount]) => ({ currency, monthly: showAmount(amount) })),
  };
}

/** Those of some of the days that are not resolved, the largest impact first. */
async function anomaliesIn(
  reader: Reader,
  { start, end, filters }: FindIn,
): Promise<Findings['anomalies']> {
  const found: Findings['anomalies'] = [];
  const where = {
    ...anyOf(filters, ['provider', 'account', 'service', 'currency']),
    status: { any: ['open', 'acknowledged'] },
  };
  for await (const rows of allPages(reader, anomalies, {
    where,
    orderBy: 'impact',
    direction: 'desc',
  })) {
    for (const { doc } of rows) {
      if (doc.start >= end || doc.end < start) continue;
      found.push(showAnomaly(doc));
      if (found.length === mostListed) return found;
    }
  }
  return found;
}

const showAnomaly = ({ group: _group, announced_at: _at, ...anomaly }: StoredAnomaly) => anomaly;
