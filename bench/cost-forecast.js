// Forecasts of real daily cost, one a week from day 56 on, of 14 days each, beside the last week again. Each is made of the days
// before it alone. The same figures are the table of docs/cost.md.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'tsup';
import { root, tempFolder } from './harness.js';

export const title = 'forecasts of daily cost';

const file = path.join(
  root,
  '../shared/data/focus-cost/jupyterhub__binder-billing/mybinder_gcp_daily_cost.csv',
);
const horizon = 14;
const firstOrigin = 56;

/** By name, those that are not zero throughout. */
function readSeries() {
  const series = {};
  for (const line of readFileSync(file, 'utf8').trim().split('\n').slice(1)) {
    const [, name, value] = line.split(',');
    if (/^(category|project_id):/.test(name)) (series[name] ??= []).push(Number(value));
  }
  return Object.values(series).filter((values) => values.some((value) => value !== 0));
}

async function loadForecast() {
  const folder = tempFolder();
  await build({
    entry: { forecast: path.join(root, 'src/cost/forecast/forecast.ts') },
    outDir: folder,
    format: 'esm',
    silent: true,
    config: false,
    outExtension: () => ({ js: '.mjs' }),
  });
  try {
    return (await import(pathToFileURL(path.join(folder, 'forecast.mjs')).href)).forecastDaily;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function measure() {
  if (!existsSync(file)) {
    console.error('skipped: the public daily cost is not here');
    return [];
  }
  const forecastDaily = await loadForecast();
  let [days, error, naive, worst, ratios] = [0, 0, 0, 0, 0];
  const all = readSeries();
  for (const values of all) {
    let [ownError, ownNaive] = [0, 0];
    for (let at = firstOrigin; at + horizon <= values.length; at += 7) {
      const { points } = await forecastDaily(values.slice(0, at), horizon);
      for (const [ahead, { mean }] of points.entries()) {
        ownError += Math.abs(values[at + ahead] - mean);
        ownNaive += Math.abs(values[at + ahead] - values[at - 7 + (ahead % 7)]);
        days += 1;
      }
    }
    error += ownError;
    naive += ownNaive;
    ratios += ownError / ownNaive / all.length;
    worst = Math.max(worst, ownError / ownNaive);
  }
  const shared = { ours: error / days, theirs: naive / days, unit: 'USD', peer: 'seasonal naive' };
  return [
    {
      figure: `mean absolute error of ${all.length} public series`,
      ...shared,
      ratio: ratios,
      limit: { most: 0.9 },
      note: 'ratio: mean of those of the series',
    },
    { figure: 'the worst of them', ...shared, ratio: worst, limit: { most: 1.05 } },
  ];
}
