export { fieldOf } from './fields.ts';
export { completeDays } from './complete-days.ts';
export type { Days } from './complete-days.ts';
export { expectedTotal, forecastCost, usageCategories } from './forecast.ts';
export { costSums } from './query.ts';
export type { CostField, CostQuery } from './query.ts';
export { monthlyCosts, seesCost } from './by-resource.ts';
