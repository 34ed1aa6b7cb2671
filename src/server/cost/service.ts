export { fieldOf } from './fields.ts';
export { completeDays } from './complete-days.ts';
export { expectedTotal } from './forecast.ts';
export type { ExpectedTotal } from './forecast.ts';
export { costSums } from './query.ts';
export type { CostField, CostGroup, CostQuery } from './query.ts';
export { monthlyCosts, seesCost } from './by-resource.ts';
