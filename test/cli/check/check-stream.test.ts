import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createRun } from '../../../src/cli/check/check-run.ts';
import { checkStream } from '../../../src/cli/check/check-stream.ts';
import { createCollector } from '../../../src/cli/check/collect.ts';
import { chunkBytes } from '../../../src/cli/check/line-chunks.ts';
import { createChecker } from '../../../src/project/check/checker.ts';

async function* slowLines(): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < 3; part++) {
    yield Buffer.from(`${'x'.repeat(chunkBytes)}\n`);
    await sleep(10);
  }
}

describe('a stream of lines', () => {
  it('fails with what a thread failed with, even while more lines are waited for', async () => {
    const run = createRun({
      checker: createChecker({ policies: [], exemptions: [], now: 0, all: false }),
      collector: createCollector({
        baseline: undefined,
        baselineRoot: '/',
        recording: false,
        row: undefined,
      }),
      signal: new AbortController().signal,
      exemptions: 0,
      unreadable: [],
      onProgress: async () => {},
    });
    const input = { file: 'a.ndjson', absolute: '/a.ndjson', size: 1, named: true };
    const broken = { width: 6, check: () => Promise.reject(new Error('the thread is gone')) };
    await expect(checkStream(input, slowLines(), broken, run)).rejects.toThrow(
      'the thread is gone',
    );
  });
});
