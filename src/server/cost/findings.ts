import type { CostAnalysis } from '../../contract/cost.ts';

type Findings = Pick<CostAnalysis, 'anomalies' | 'unused_resources' | 'savings'>;

/** What other nouns find about cost. Each fills its own once it is built. */
export const costFindings = async (): Promise<Findings> => ({
  anomalies: [],
  unused_resources: [],
  savings: [],
});
