import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cleanEnvironment, makeTempFolder, projectRoot } from '../support/built-cli.ts';
import { until } from '../support/until.ts';

const binary = path.join(projectRoot, 'bin', 'govctl.js');

function startServer() {
  const cwd = makeTempFolder();
  const ready = path.join(cwd, 'ready.json');
  const args = ['server', '--port', '0', '--data-dir', 'data', '--ready-file', ready];
  const server = spawn(process.execPath, [binary, ...args], { cwd, env: cleanEnvironment() });
  onTestFinished(() => void server.kill('SIGKILL'));
  const ended = once(server, 'exit');
  const whenServing = async (): Promise<void> => {
    await until(() => existsSync(ready));
    const { base_url: url } = JSON.parse(readFileSync(ready, 'utf8')) as { base_url: string };
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  };
  const stopReading = (): void => {
    server.stdout.destroy();
    server.stderr.destroy();
  };
  return { server, ended, whenServing, stopReading };
}

it('a server whose log nobody reads goes on serving, and ends when it is asked to', async () => {
  const { server, ended, whenServing, stopReading } = startServer();
  stopReading();
  await whenServing();
  server.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('a server whose log is not read any more when it is asked to end does so', async () => {
  const { server, ended, whenServing, stopReading } = startServer();
  server.stdout.resume();
  server.stderr.resume();
  await whenServing();
  stopReading();
  server.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
