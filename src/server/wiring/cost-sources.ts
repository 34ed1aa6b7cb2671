import { defined } from '../../contract/defined.ts';
import { defaultOwnerTags } from '../config/config.ts';
import type { ServerConfig } from '../config/config.ts';
import { analyzeCost } from '../cost/analysis.ts';
import type { AnalysisOptions } from '../cost/analysis.ts';
import type { Deps } from '../deps.ts';
import type { CostSources } from '../reports/gather/cost.ts';
import type { Assessor } from '../rightsizing/service.ts';

/** What the operator says of analyses, and what could be saved. */
export const analysisOptions = (
  { owner_tags: ownerTags = defaultOwnerTags, cost }: ServerConfig,
  assessor: Assessor,
): Omit<AnalysisOptions, 'signal'> => ({
  ownerTags,
  assessor,
  ...defined({ shared: cost?.shared }),
});

/** What reports know of costs. */
export const costSources = (deps: Deps, config: ServerConfig, assessor: Assessor): CostSources => ({
  assessor,
  analyze: (query, signal) =>
    analyzeCost(deps, query, { ...analysisOptions(config, assessor), signal }),
});
