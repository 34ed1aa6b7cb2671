import { defined } from '../../contract/defined.ts';
import { ownerTagsOf } from '../config/config.ts';
import type { ServerConfig } from '../config/config.ts';
import { analyzeCost } from '../cost/analysis.ts';
import type { AnalysisOptions } from '../cost/analysis.ts';
import { forecastCost } from '../cost/service.ts';
import type { Deps } from '../deps.ts';
import type { CostSources } from '../reports/gather/cost.ts';
import type { Assessor } from '../rightsizing/service.ts';

/** What the operator says of analyses, and what could be saved. */
export const analysisOptions = (
  config: ServerConfig,
  assessor: Assessor,
): Omit<AnalysisOptions, 'signal'> => ({
  ownerTags: ownerTagsOf(config),
  assessor,
  ...defined({ shared: config.cost?.shared }),
});

/** What reports know of costs. */
export const costSources = (deps: Deps, config: ServerConfig, assessor: Assessor): CostSources => ({
  assessor,
  analyze: (query, signal) =>
    analyzeCost(deps, query, { ...analysisOptions(config, assessor), signal }),
  forecast: (query) => forecastCost(deps.store, { ...query, ownerTags: ownerTagsOf(config) }),
});
