// The figures of docs/prediction.md: how good predictions would have been. `npm run docs` writes them where the public data is.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { methodsOf } from '../../src/server/prediction/service.ts';
import { runCommandLine } from '../support/fake-world.ts';
import { withBlock } from './generated-block.ts';

const root = path.resolve(import.meta.dirname, '../..');
const dataset = path.resolve(root, '../shared/data/verdict-histories');
const isThere = existsSync(dataset);
if (!isThere)
  console.log('skipped: predictions are not replayed, the public histories are not here');

interface Backtest {
  readonly histories: number;
  readonly from: string;
  readonly until: string;
  readonly series: number;
  readonly forecasts: number;
  readonly failures: number;
  readonly methods: readonly {
    readonly method: string;
    readonly n: number;
    readonly alerts: number;
    readonly precision: number | null;
    readonly recall: number | null;
    readonly skill_never: number | null;
    readonly skill_recent: number | null;
    readonly beats_both?: boolean;
  }[];
}

const percent = (share: number | null): string =>
  share === null ? '-' : `${(share * 100).toFixed(1)}%`;
const skill = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
const grouped = (n: number): string => n.toLocaleString('en-US');

function section(backtest: Backtest): string {
  const { histories, from, until, series, forecasts, failures, methods } = backtest;
  const rows = methods.map((one) =>
    [
      one.beats_both === undefined ? `baseline: ${one.method}` : `\`${one.method}\``,
      grouped(one.n),
      grouped(one.alerts),
      percent(one.precision),
      percent(one.recall),
      skill(one.skill_never),
      skill(one.skill_recent),
      one.beats_both === undefined ? '' : one.beats_both ? 'on' : 'off',
    ].join(' | '),
  );
  return `Public histories of ${histories} Terraform repositories, ${from} to ${until}: of ${grouped(series)} series (a check on a resource that passed at least once for a day),
with ${grouped(forecasts)} daily forecasts for 30 days, ${failures} began to fail.

| method | n | alerts | precision | recall | skill over "never" | skill over "failed in last 30 days" | by default |
|---|---|---|---|---|---|---|---|
| ${rows.join(' |\n| ')} |
`;
}

describe.runIf(isThere)('predictions from public histories', () => {
  let backtest: Backtest;
  beforeAll(async () => {
    const words = ['predict', 'backtest', '--dataset', dataset, '--allow-outside', '-o', 'json'];
    const { stdout } = await runCommandLine(words, { cwd: root });
    backtest = JSON.parse(stdout) as Backtest;
  });

  it('have the figures that docs/prediction.md says', async () => {
    const file = path.join(root, 'docs/prediction.md');
    const text = withBlock(file, 'test/corpus/backtest.test.ts', section(backtest));
    await expect(text).toMatchFileSnapshot(file);
  });

  it('decide which methods are on by default', () => {
    const on = methodsOf({});
    for (const { method, beats_both: isGood } of backtest.methods) {
      if (isGood !== undefined) expect([method, on.has(method as never)]).toEqual([method, isGood]);
    }
  });
});
