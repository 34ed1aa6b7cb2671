// Recorded answers of GetMetricStatistics, as botocore got them: each is detected, and what is of use is read.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFormat } from '../../src/cost/metrics/read.ts';

const folder = path.resolve(
  import.meta.dirname,
  '../../../shared/data/usage-metrics/cloud-custodian__cloud-custodian/placebo',
);
const isThere = existsSync(folder);
if (!isThere) console.log('skipped: the recordings of CloudWatch are not in this checkout');

describe.runIf(isThere)('recorded answers of CloudWatch', () => {
  it('are read, and say what they hold', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.json'),
    );
    expect(files.length).toBeGreaterThanOrEqual(18);
    let points = 0;
    for (const file of files) {
      const format = findFormat(JSON.parse(readFileSync(path.join(folder, file), 'utf8')));
      expect([file, format?.name]).toEqual([file, 'CloudWatch statistics']);
      const read = format?.read({ resource: 'i-1', period: 300 });
      points += read?.points.length ?? 0;
      expect([file, (read?.points.length ?? 0) + (read?.leftOut.size ?? 0)]).toEqual([file, 1]);
    }
    expect(points).toBe(1);
  });
});
