import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import {
  cleanEnvironment,
  makeTempFolder,
  projectRoot,
  runCli,
  startBuiltServer,
} from '../support/built-cli.ts';
import type { BuiltServer, CliResult } from '../support/built-cli.ts';

const binary = path.join(projectRoot, 'bin', 'govctl.js');
const node = (code: string): string[] => [process.execPath, '-e', code];
const exec = (...argv: string[]): Promise<CliResult> => runCli(['server', 'exec', ...argv]);

describe('govctl server exec', () => {
  it('gives the command a server, its own streams and nothing of the user, and leaves nothing behind', async () => {
    const script = `
      const { GOVCTL_BASE_URL: url, GOVCTL_TOKEN: token, GOVCTL_CONFIG_DIR: dir, ...env } = process.env;
      fetch(url + '/v1/local', { headers: { authorization: 'Bearer ' + token } })
        .then((answer) => answer.json())
        .then(({ local }) => {
          console.error('talk');
          console.log(JSON.stringify({ local, dir, keyring: env.GOVCTL_KEYRING, profile: env.GOVCTL_PROFILE, args: process.argv.slice(1) }));
        });`;
    const { exitCode, stdout, stderr } = await runCli(
      ['server', 'exec', '--', ...node(script), '--', '--port', '3'],
      { env: { GOVCTL_PROFILE: 'mine', GOVCTL_CLIENT_ID: 'half of a login' } },
    );
    expect([exitCode, stderr]).toEqual([0, 'talk\n']);
    const seen = JSON.parse(stdout) as { dir: string };
    expect(seen).toMatchObject({ local: true, keyring: 'off', args: ['--port', '3'] });
    expect(seen).not.toHaveProperty('profile');
    expect(existsSync(path.dirname(seen.dir))).toBe(false);
  });

  it('ends with what the command ends with, and says so where there is no such command', async () => {
    expect(await exec('--', ...node('process.exit(42)'))).toMatchObject({
      exitCode: 42,
      stderr: '',
    });
    expect(await exec('--', ...node("process.kill(process.pid, 'SIGKILL')"))).toMatchObject({
      exitCode: 137,
      stderr: '',
    });
    expect(await exec('--', 'no-such-command')).toMatchObject({
      exitCode: 127,
      stderr: 'error: Command not found: "no-such-command"\n',
    });
    expect((await exec()).exitCode).toBe(3);
    const failed = await exec('--restore', 'nowhere.jsonl', '--', ...node('console.log("ran")'));
    expect([failed.exitCode, failed.stdout]).toEqual([3, '']);
    expect(failed.stderr).toContain('nowhere.jsonl');
  });

  it('hands signals on to the command, and waits for it', async () => {
    const code = `
      process.on('SIGTERM', () => { console.log('asked'); setTimeout(() => process.exit(7), 50); });
      setInterval(() => {}, 1000);
      console.log('up');`;
    const child = execa(process.execPath, [binary, 'server', 'exec', '--', ...node(code)], {
      env: cleanEnvironment(),
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    });
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('up')) child.kill('SIGTERM');
    });
    const { exitCode, stdout, stderr } = await child;
    expect([exitCode, stdout, stderr]).toEqual([7, 'up\nasked', '']);
  });

  it('seeds and sets the clock first; what was saved there is restored elsewhere', async () => {
    const folder = makeTempFolder();
    const file = path.join(folder, 'state.jsonl');
    const govctl = `"${process.execPath}" "${binary}"`;
    const script = path.join(folder, 'job.sh');
    writeFileSync(
      script,
      `set -e\n${govctl} server snapshot ${file} -q >&2\n${govctl} server clock show -o json\n`,
    );
    const saved = await exec('--seed', '--clock', '2031-05-05T05:05:05Z', '--', 'sh', script);
    expect(saved.exitCode, saved.stderr).toBe(0);
    expect(JSON.parse(saved.stdout)).toMatchObject({
      now: expect.stringMatching(/^2031-05-05T05:05/) as string,
    });
    const restored = await exec(
      '--restore',
      file,
      '--',
      'sh',
      '-c',
      `${govctl} policy list --all -o json`,
    );
    const { policies } = JSON.parse(restored.stdout) as { policies: { created_at: string }[] };
    expect(policies.length).toBeGreaterThan(50);
    expect(policies[0]?.created_at).toMatch(/^2031-05-05/);
  });
});

const of =
  (server: BuiltServer) =>
  (argv: readonly string[]): Promise<CliResult> =>
    runCli(argv, { env: { GOVCTL_BASE_URL: server.baseUrl, GOVCTL_TOKEN: server.key } });

describe('a change whose answer is lost', () => {
  it('is made once all the same', async () => {
    const server = await startBuiltServer();
    const run = of(server);
    await run(['server', 'fault', 'add', '/v1/scans', '--method', 'POST', '--cut', 'answer']);
    const made = await run(['scan', 'run', '--wait']);
    expect(made.exitCode, made.stderr).toBe(0);
    const { stdout } = await run(['scan', 'list', '-o', 'json']);
    expect((JSON.parse(stdout) as { scans: unknown[] }).scans).toHaveLength(1);
    const faults = await run(['server', 'fault', 'list', '-o', 'json']);
    expect(JSON.parse(faults.stdout)).toMatchObject({ faults: [{ hits: 1, left: 0 }] });
    await server.stop();
  });
});

describe('a local server that is killed', () => {
  it('goes on with its clock, and not with its faults', async () => {
    const first = await startBuiltServer();
    const run = of(first);
    expect((await run(['server', 'clock', 'advance', '36h'])).exitCode).toBe(0);
    expect(
      (await run(['server', 'fault', 'add', '--status', '404', '--count', 'always'])).exitCode,
    ).toBe(0);
    expect((await run(['policy', 'list'])).exitCode).toBe(1);
    await first.stop('SIGKILL');
    const second = await startBuiltServer({ dataDir: first.dataDir });
    const { stdout } = await of(second)(['server', 'clock', 'show', '-o', 'json']);
    const { offset_ms: offset } = JSON.parse(stdout) as { offset_ms: number };
    expect(Math.round(offset / 3_600_000)).toBe(36);
    expect((await of(second)(['policy', 'list'])).exitCode).toBe(0);
    await second.stop();
  });
});
