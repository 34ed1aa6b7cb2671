import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanEnvironment, makeTempFolder, projectRoot, runCli } from '../../support/built-cli.ts';
import { bucket, policies } from './samples.ts';

const count = 120_000;
let cwd: string;

/** Past 16 MiB, from where workers are worth their start. */
beforeAll(() => {
  cwd = makeTempFolder();
  writeFileSync(path.join(cwd, 'p.yaml'), policies);
  const lines = Array.from({ length: count }, (_, n) =>
    n === 77_777
      ? '{"id": 7}'
      : bucket(n === 100_000 ? 'bucket-5' : `bucket-${n}`, n % 1_000 !== 0, {
          description: 'x'.repeat(60),
        }),
  );
  writeFileSync(path.join(cwd, 'large.ndjson'), lines.join('\n'));
});

const check = (args: readonly string[]) =>
  runCli(['check', 'large.ndjson', '--policies', 'p.yaml', ...args], { cwd });

describe('a large NDJSON input', () => {
  it('gives the same from one thread, from three, and from standard input', async () => {
    const one = await check(['-o', 'json', '--jobs', '1']);
    const three = await check(['-o', 'json', '--jobs', '3']);
    expect(three).toEqual(one);
    const { summary, results, unreadable, warnings } = JSON.parse(one.stdout) as {
      summary: object;
      results: { line: number }[];
      unreadable: object[];
      warnings: object[];
    };
    expect(summary).toMatchObject({ resources: count - 1, fail: 120, pass: 2 * (count - 1) - 120 });
    expect(results.map(({ line }) => line)).toEqual(
      Array.from({ length: 120 }, (_, n) => n * 1_000 + 1),
    );
    expect(unreadable).toMatchObject([{ file: 'large.ndjson', line: 77_778 }]);
    expect(warnings).toMatchObject([
      { code: 'duplicate-id', line: 100_001, message: expect.stringContaining('bucket-5') },
    ]);
    expect(one.exitCode).toBe(3);
  });

  it('ends at the first Ctrl-C with 130', async () => {
    const child = execa(
      process.execPath,
      [path.join(projectRoot, 'bin', 'govctl.js'), 'check', '-', '--policies', 'p.yaml'],
      { cwd, env: cleanEnvironment(), extendEnv: false, reject: false, stdin: 'pipe' },
    );
    child.stdin.write(`${bucket('a', true)}\n`);
    await sleep(1_500);
    child.kill('SIGINT'); // while it waits for more
    const { exitCode, stderr } = await child;
    expect([exitCode, stderr]).toEqual([130, 'error: Interrupted']);
  });
});
