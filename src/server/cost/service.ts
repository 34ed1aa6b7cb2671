export { costSums } from './query.ts';
export type { CostField, CostGroup, CostQuery } from './query.ts';
export { monthlyCosts, seesCost } from './by-resource.ts';
