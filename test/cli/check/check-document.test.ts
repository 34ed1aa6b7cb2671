import { describe, expect, it } from 'vitest';
import { checkDocument } from '../../../src/cli/check/check-document.ts';
import { createRun } from '../../../src/cli/check/check-run.ts';
import { createCollector } from '../../../src/cli/check/collect.ts';
import { readInventory } from '../../../src/inventory/read.ts';
import { createChecker } from '../../../src/project/check/checker.ts';

describe('checkDocument', () => {
  it('ends among the resources of a document once the check is interrupted', async () => {
    const resources = Array.from({ length: 5_000 }, (_, n) => ({
      id: `arn:aws:s3:::b${n}`,
      type: 'AWS::S3::Bucket',
    }));
    const interruption = new AbortController();
    const checker = createChecker({ policies: [], exemptions: [], now: 0, all: false });
    let checked = 0;
    const run = createRun({
      checker: {
        ...checker,
        check: () => {
          checked++;
          interruption.abort();
        },
      },
      collector: createCollector({
        baseline: undefined,
        baselineRoot: '',
        recording: false,
        row: undefined,
      }),
      signal: interruption.signal,
      exemptions: 0,
      unreadable: [],
      onProgress: () => Promise.resolve(),
    });
    const input = { file: 'a.json', absolute: '/a.json', size: 1, named: true };
    const read = () => readInventory(JSON.stringify({ resources }));
    await expect(checkDocument({ inputs: [input], read }, {}, run)).rejects.toMatchObject({
      error: 'interrupted',
    });
    expect(checked).toBeGreaterThan(0);
    expect(checked).toBeLessThan(resources.length);
  });
});
