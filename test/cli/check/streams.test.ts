import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
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
  writeFileSync(path.join(cwd, 'large.json'), `[${lines.join(',\n')}]`);
});

const check = (args: readonly string[]) =>
  runCli(['check', 'large.ndjson', '--policies', 'p.yaml', ...args], { cwd });

/** What is the same of one inventory, however it comes. */
function outline(stdout: string) {
  const { summary, results, unreadable, warnings } = JSON.parse(stdout) as {
    summary: object;
    results: { line: number; resource: string; policy: string; status: string }[];
    unreadable: { line: number }[];
    warnings: { code: string; line: number }[];
  };
  return {
    summary,
    findings: results.map(({ line, resource, policy, status }) => [line, resource, policy, status]),
    unreadable: [...new Set(unreadable.map(({ line }) => line))],
    warnings: warnings.map(({ code, line }) => [code, line]),
  };
}

describe('a large NDJSON input', () => {
  it('gives the same from one thread, from three, from standard input, and as one list', async () => {
    const one = await check(['-o', 'json', '--jobs', '1']);
    const three = await check(['-o', 'json', '--jobs', '3']);
    expect(three).toEqual(one);
    const ofLines = outline(one.stdout);
    const input = readFileSync(path.join(cwd, 'large.ndjson'), 'utf8');
    const words = ['check', '-', '--policies', 'p.yaml', '-o', 'json', '--jobs', '2'];
    expect(outline((await runCli(words, { cwd, input })).stdout)).toEqual(ofLines);
    const list = await runCli(['check', 'large.json', ...words.slice(2)], { cwd });
    expect(outline(list.stdout)).toEqual(ofLines);
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
    // More than a pipe takes by itself: it has begun to read.
    const lines = `${bucket('a', true, { description: 'x'.repeat(100_000) })}\n`.repeat(10);
    await new Promise((resolve) => child.stdin.write(lines, resolve));
    child.kill('SIGINT'); // while it waits for more
    const { exitCode, stderr } = await child;
    expect([exitCode, stderr]).toEqual([130, 'error: Interrupted']);
  });
});
