import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const file = path.resolve(
  import.meta.dirname,
  '../../../shared/data/focus-cost/jupyterhub__binder-billing/mybinder_gcp_daily_cost.csv',
);

export const isDailyCostThere = existsSync(file);
if (!isDailyCostThere) console.log('skipped: the public daily cost is not in this checkout');

/** The daily cost of each category and project of mybinder.org that has any, by name. */
export function readDailyCost(): ReadonlyMap<string, readonly number[]> {
  const series = new Map<string, number[]>();
  for (const line of readFileSync(file, 'utf8').trim().split('\n').slice(1)) {
    const [, name = '', value] = line.split(',');
    if (!/^(?:category|project_id):/.test(name)) continue;
    series.set(name, [...(series.get(name) ?? []), Number(value)]);
  }
  return new Map([...series].filter(([, values]) => values.some((value) => value !== 0)));
}
