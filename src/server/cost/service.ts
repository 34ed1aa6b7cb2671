export { fieldOf } from './fields.ts';
export { completeDays } from './complete-days.ts';
export { expectedTotal } from './forecast.ts';
export type { ExpectedTotal } from './forecast.ts';
export { costSums } from './query.ts';
export type { CostField, CostGroup, CostQuery } from './query.ts';
export { policyCosts } from './by-policy.ts';
export type { PolicyCost, PolicyCosts } from './by-policy.ts';
export { monthlyCosts, seesCost } from './by-resource.ts';
