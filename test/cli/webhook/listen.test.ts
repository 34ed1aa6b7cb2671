import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { readFileSync, readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Send } from '../../../src/server/outbound/send.ts';
import { verifyWebhook } from '../../../src/webhook/webhook.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorld, FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { until } from '../../support/until.ts';

/** What webhooks send goes over real connections. */
const overLoopback: Send = async ({ url, headers, body }) => {
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
    return { durationMs: 1, status: answer.status, body: await answer.text() };
  } catch {
    return { durationMs: 1, error: 'the connection was refused' };
  }
};

let service: TestService;
const running: AbortController[] = [];
const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  service = await startTestService({ receive: overLoopback });
});
afterEach(async () => {
  for (const stop of running.splice(0)) stop.abort();
  for (const close of closing.splice(0)) await close();
  await service.close();
});

const settings = (more: FakeWorldSettings = {}): FakeWorldSettings => ({
  fetch: async (address, init) => service.app.fetch(new Request(address, init), {}),
  now: () => service.deps.clock.now(),
  ...more,
  env: { GOVCTL_BASE_URL: 'http://127.0.0.1:1', GOVCTL_TOKEN: service.key, ...more.env },
});

interface Listener {
  readonly world: FakeWorld;
  readonly stop: AbortController;
  readonly ended: Promise<Outcome>;
}

/** Runs until it is stopped; resolves when it listens, or has ended. */
async function listen(argv: readonly string[], more: FakeWorldSettings = {}): Promise<Listener> {
  const stop = new AbortController();
  running.push(stop);
  const world = createFakeWorld({ ...settings(more), signal: stop.signal });
  let isOver = false;
  const ended = runCommandLine(['webhook', 'listen', ...argv], world).finally(
    () => (isOver = true),
  );
  await until(() => isOver || world.written.stderr.includes('Listening'));
  return { world, stop, ended };
}

const trigger = async (type: string): Promise<void> => {
  await service.send('POST', '/v1/events', { body: { type } });
  await service.deliveries?.idle();
};
interface Listed {
  readonly id: string;
  readonly url: string;
  readonly name?: string;
}
const webhooks = async (): Promise<readonly Listed[]> =>
  (await service.send('GET', '/v1/webhooks')).json.webhooks as readonly Listed[];

interface Got {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An application that answers as it is told. */
async function startApp(answer: { status: number; headers?: Record<string, string> }) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => (body += text));
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      response.writeHead(answer.status, answer.headers).end('as you say');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo; // listening on TCP
  return { url: `http://127.0.0.1:${port}/hooks?a=1`, got, answer };
}

describe('govctl webhook listen', () => {
  it('registers a webhook, shows what comes, and removes the webhook when it ends', async () => {
    const { world, stop, ended } = await listen([
      ...['--event', 'scan.completed', '--events', 'user.login'],
    ]);
    expect(await webhooks()).toMatchObject([
      { name: 'govctl webhook listen', events: ['scan.completed', 'user.login'] },
    ]);
    await trigger('scan.completed');
    await trigger('scan.failed');
    await trigger('user.login');
    await until(() => world.written.stdout.includes('#2'));
    expect(world.written.stdout).toMatch(
      /^12:00:00 {2}#1 scan\.completed {2}valid signature\n {10}\S.*\n12:00:00 {2}#2 user\.login {2}valid signature\n/,
    );
    stop.abort();
    expect((await ended).exitCode).toBe(0);
    expect(await webhooks()).toEqual([]);
  });

  it('forwards the exact bytes and headers, and repeats what fails', async () => {
    const app = await startApp({ status: 503 });
    const { world } = await listen(['--forward', app.url, '--secret-env', 'HOOK'], {
      env: { HOOK: 'a known secret' },
    });
    await trigger('policy.violation.created');
    await until(() => world.written.stdout.includes('503'));
    app.answer.status = 204;
    const [{ headers, body } = { headers: {}, body: '' }] = app.got;
    const now = service.deps.clock.now();
    const event = verifyWebhook({ body, headers, secret: 'a known secret', now });
    expect(event).toMatchObject({ type: 'policy.violation.created', attempt: 1 });
    expect(headers.host).toBe(new URL(app.url).host);
    expect(world.written.stdout).toMatch(/valid signature {2}→ 503 in \d+ ms, retrying in 1 s/);
    await until(() => world.written.stdout.includes('→ 204'));
    expect(world.written.stdout).toMatch(/#1 attempt 2 {2}→ 204 in \d+ ms\n/);
    expect(app.got[1]?.body).toBe(body);
    expect(world.written.stderr).not.toContain('a known secret');
  });

  it('does not hold back events of other objects while a receiver fails, and keeps the order of one', async () => {
    const app = await startApp({ status: 200 });
    const { world } = await listen(['--forward', app.url]);
    const { url } = (await webhooks())[0] ?? { url: '' };
    const post = (id: string, n: number) =>
      fetch(url, { method: 'POST', body: JSON.stringify({ data: { scan: { id, n } } }) });
    app.answer.status = 500;
    expect((await post('scan_a', 1)).status).toBe(200);
    await until(() => world.written.stdout.includes('retrying'));
    app.answer.status = 200;
    await post('scan_a', 2);
    await post('scan_b', 3);
    await until(() => app.got.length >= 4);
    const order = app.got.map(({ body }) => (JSON.parse(body) as { data: { scan: { n: number } } }).data.scan.n); // prettier-ignore
    expect(order).toEqual([1, 3, 1, 2]);
  });

  it('waits for what is being forwarded after --count, and at Ctrl-C says what was not', async () => {
    const app = await startApp({ status: 500 });
    const counted = await listen(['--forward', app.url, '--count', '1', '-o', 'ndjson']);
    await trigger('scan.completed');
    await until(() => app.got.length === 1);
    app.answer.status = 204;
    expect((await counted.ended).exitCode).toBe(0);
    expect(JSON.parse(counted.world.written.stdout)).toMatchObject({
      answered: 200,
      forwarded: { status: 204, attempts: 2 },
    });
    app.answer.status = 500;
    const stopped = await listen(['--forward', app.url]);
    await trigger('scan.completed');
    await until(() => stopped.world.written.stdout.includes('retrying'));
    stopped.stop.abort();
    await stopped.ended;
    expect(stopped.world.written.stderr).toContain('1 delivery was not forwarded');
  });

  it('says so where nothing listens', async () => {
    const app = await startApp({ status: 200 });
    await closing.pop()?.();
    const { world } = await listen(['--forward', app.url]);
    expect(world.written.stderr).toMatch(/signing secret: whsec_/);
    await trigger('scan.completed');
    await until(() => world.written.stdout.includes('#1'));
    expect(world.written.stdout).toMatch(/→ connection refused, retrying in 1 s\n/);
  });

  it('knows the moved clock of a local server', async () => {
    const { world } = await listen([], { now: () => Date.parse('2020-01-01T00:00:00Z') });
    await trigger('scan.completed');
    await until(() => world.written.stdout.includes('#1'));
    expect(world.written.stdout).not.toContain('ahead');
    expect(world.written.stdout).not.toContain(' ago');
  });

  it('resends a delivery at a key, signed anew, and ends at q', async () => {
    const app = await startApp({ status: 200 });
    const keys: string[] = [];
    const world = createFakeWorld({
      ...settings(),
      tty: true,
      env: { ...settings().env, NO_COLOR: '1' },
    });
    const typed = {
      ...world,
      terminal: {
        ...world.terminal,
        keys: async function* (signal: AbortSignal) {
          while (!signal.aborted) {
            await until(() => keys.length > 0 || signal.aborted);
            yield* keys.splice(0);
          }
        },
      },
    };
    const ended = runCommandLine(
      ['webhook', 'listen', '--forward', app.url, '--secret-env', 'HOOK'],
      Object.assign(typed, { env: { ...world.env, HOOK: 'a known secret' } }),
    );
    await until(() => world.written.stderr.includes('3 r to resend the third'));
    await trigger('scan.completed');
    await trigger('user.login');
    await until(() => app.got.length === 2);
    service.advance(3_600_000);
    keys.push('1', 'r');
    await until(() => app.got.length === 3);
    const again = verifyWebhook({
      ...(app.got[2] ?? { headers: {}, body: '' }),
      secret: 'a known secret',
      now: service.deps.clock.now(),
    });
    expect(again).toMatchObject({ type: 'scan.completed', attempt: 2 });
    keys.push('9', 'r', 'r');
    await until(() => app.got.length === 4);
    expect(world.written.stderr).toContain('no such delivery');
    await until(() => /#2 resent: → 200 in/.test(world.written.stderr));
    keys.push('q');
    expect((await ended).exitCode).toBe(0);
    expect(await webhooks()).toEqual([]);
  });

  it('exports JSON lines, without secrets in headers, and ends after --count', async () => {
    const cwd = makeRepo();
    const file = path.join(cwd, 'got.ndjson');
    const flags = ['--count', '2', '-o', 'ndjson', '-o', `ndjson=${file}`];
    const { world, ended } = await listen(flags);
    const { url } = (await webhooks())[0] ?? { url: '' };
    await fetch(url, { method: 'GET' }); // is no delivery
    await trigger('scan.completed');
    await trigger('user.login');
    expect((await ended).exitCode).toBe(0);
    const rows = world.written.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows).toMatchObject([
      { number: 1, event_type: 'scan.completed', signature: 'ok', answered: 200 },
      { number: 2, event_type: 'user.login', signature: 'ok', answered: 200 },
    ]);
    expect(JSON.parse(String(rows[0]?.body))).toHaveProperty('data.scan');
    expect(readFileSync(file, 'utf8')).toBe(world.written.stdout);
    expect(world.written.stderr).toContain('#2 user.login');
  });

  it('refuses what comes after --count, so that nobody thinks it was taken', async () => {
    const app = await startApp({ status: 204 });
    const { world, ended } = await listen(['--count', '1', '--forward', app.url]);
    const { url } = (await webhooks())[0] ?? { url: '' };
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((body) => fetch(url, { method: 'POST', body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503, 503]);
    await ended;
    expect(world.written.stdout).toContain('#1');
    expect(world.written.stdout).not.toContain('#2');
    expect(app.got).toHaveLength(1);
  });

  it('writes nothing but JSON on a terminal that shows both', async () => {
    const { world, stop, ended } = await listen(['-o', 'ndjson', '--no-input'], { tty: true });
    await trigger('scan.completed');
    await until(() => world.written.stdout.includes('scan.completed'));
    stop.abort();
    await ended;
    expect(JSON.parse(world.written.stdout)).toMatchObject({ number: 1 });
    expect(world.written.stderr).not.toContain('#1');
  });

  it('shows one line for a violation, though two events tell of it', async () => {
    const { world, stop, ended } = await listen(['-o', 'table', '-o', 'ndjson=all.ndjson'], {
      cwd: makeRepo({}),
    });
    await trigger('policy.violation.created');
    await trigger('policy.violation.detected');
    await trigger('scan.completed');
    await until(() => world.written.stdout.includes('scan.completed'));
    expect(world.written.stdout.match(/#\d+ \S+/g)).toEqual([
      '#1 policy.violation.created',
      '#3 scan.completed',
    ]);
    stop.abort();
    await ended;
    const rows = readFileSync(path.join(world.cwd, 'all.ndjson'), 'utf8').trimEnd().split('\n');
    expect(rows.map((row) => (JSON.parse(row) as { number: number }).number)).toEqual([1, 2, 3]);
  });

  it('shows the second event where it was not forwarded, and where no other tells of the violation', async () => {
    const app = await startApp({ status: 204 });
    const { world } = await listen(['--forward', app.url]);
    await trigger('policy.violation.detected');
    await until(() => world.written.stdout.includes('#1 policy.violation.detected'));
    await trigger('policy.violation.created');
    await until(() => world.written.stdout.includes('#2 policy.violation.created'));
    app.answer.status = 500;
    await trigger('policy.violation.detected');
    await until(() => world.written.stdout.includes('#3 policy.violation.detected'));
  });

  it('keeps what belongs together in one line', async () => {
    const app = await startApp({ status: 204 });
    const flags = ['--forward', app.url, '--no-input'];
    const narrow = { tty: true, columns: 60, env: { NO_COLOR: '1' } };
    const { world } = await listen(flags, narrow);
    await trigger('policy.violation.created');
    await until(() => world.written.stdout.includes('#1'));
    expect(world.written.stdout).toMatch(/valid signature\n {10}→ 204 in \d+ ms\n {10}\S/);
  });

  it('ends where nobody reads its lines any more, and with an error where they cannot be written', async () => {
    const world = createFakeWorld(settings());
    const disk: { fault?: Error } = {};
    const stdout = {
      isClosed: false,
      write: () => (disk.fault ? Promise.reject(disk.fault) : Promise.resolve()),
    };
    const terminal = { ...world.terminal, stdout };
    const start = async (): Promise<{ ended: Promise<Outcome> }> => {
      world.written.stderr = '';
      const ended = runCommandLine(
        ['webhook', 'listen'],
        Object.assign({ ...world }, { terminal }),
      );
      await until(() => world.written.stderr.includes('Listening'));
      return { ended };
    };
    const left = await start();
    stdout.isClosed = true;
    await trigger('scan.completed');
    expect((await left.ended).exitCode).toBe(0);
    stdout.isClosed = false;
    const failing = await start();
    disk.fault = new Error('the disk is full');
    await trigger('scan.completed');
    expect((await failing.ended).exitCode).toBe(1);
    expect(world.written.stderr).toContain('the disk is full');
    expect(await webhooks()).toEqual([]);
  });

  it('leaves the file of an earlier run alone where it cannot begin', async () => {
    const cwd = makeRepo({ 'got.ndjson': 'earlier\n' });
    const file = path.join(cwd, 'got.ndjson');
    const taken = await startApp({ status: 200 });
    const port = ['--port', new URL(taken.url).port];
    const refused = { env: { GOVCTL_TOKEN: 'wrong' } };
    expect((await (await listen([...port, '-o', `ndjson=${file}`])).ended).exitCode).toBe(3);
    expect((await (await listen(['-o', `ndjson=${file}`], refused)).ended).exitCode).toBe(4);
    expect(readFileSync(file, 'utf8')).toBe('earlier\n');
    expect(readdirSync(cwd)).toEqual(['got.ndjson']);
  });

  it('ends with 2 where a signature does not fit, and with 8 where --count was not reached', async () => {
    const bad = await listen(['--count', '1']);
    const { url } = (await webhooks())[0] ?? { url: '' };
    const headers = {
      authorization: 'Bearer x',
      'x-service-signature': `sha256=${'0'.repeat(64)}`,
    };
    await fetch(url, { method: 'POST', headers, body: 'hello' });
    const { exitCode, stdout } = await bad.ended;
    expect([exitCode, stdout]).toEqual([2, expect.stringContaining('invalid signature')]);
    const late = await listen(['--count', '1', '--timeout', '1']);
    expect((await late.ended).exitCode).toBe(8);
    expect(await webhooks()).toEqual([]);
  });

  it('takes deliveries on its own path only', async () => {
    await listen([]);
    const { url } = (await webhooks())[0] ?? { url: '' };
    expect((await fetch(new URL('/', url), { method: 'POST', body: 'x' })).status).toBe(404);
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(404);
    expect((await fetch(url)).status).toBe(200);
    const huge = await fetch(url, { method: 'POST', body: Buffer.alloc(11 * 1024 * 1024) }).then(
      ({ status }) => status,
      () => 413, // cut off before all of it was sent
    );
    expect(huge).toBe(413);
  });

  it('removes what one that was killed has left behind, and nothing of one that lives', async () => {
    const alive = await listen([]);
    const [living] = await webhooks();
    const dead = `http://127.0.0.1:9/govctl-listen-${'a'.repeat(32)}`;
    const tunnel = `https://tunnel.example.com/govctl-listen-${'b'.repeat(32)}`;
    for (const url of [dead, tunnel, 'http://127.0.0.1:9/my-own']) {
      const body = { url, events: ['scan.completed'], secret: 'long enough' };
      expect((await service.send('POST', '/v1/webhooks', { body })).status).toBe(201);
    }
    const { world, stop, ended } = await listen([]);
    expect(world.written.stderr).toMatch(/Deleted wh_\w+, left behind by a listener/);
    expect(world.written.stderr).toContain('(https://tunnel.example.com)');
    stop.abort();
    await ended;
    const left = (await webhooks()).map(({ url }) => url).sort();
    expect(left).toEqual([living?.url, 'http://127.0.0.1:9/my-own', tunnel].sort());
    alive.stop.abort();
    expect((await alive.ended).exitCode).toBe(0);
  });

  it('leaves nothing behind where its registration was not answered', async () => {
    const { fetch: real, ...rest } = settings();
    const outcome = await runCommandLine(['webhook', 'listen'], {
      ...rest,
      fetch: async (address, init) => {
        const answer = await (real?.(address, init) ?? Promise.reject(new Error('none')));
        if (init.method === 'POST') throw Object.assign(new Error('cut'), { code: 'ECONNRESET' });
        return answer;
      },
    });
    expect(outcome.exitCode).toBe(1);
    expect(await webhooks()).toEqual([]);
  });

  it('says so where the service cannot reach this machine', async () => {
    const elsewhere = { env: { GOVCTL_BASE_URL: 'https://governance.example.com' } };
    const outcome = await (await listen([], elsewhere)).ended;
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      3,
      expect.stringMatching(/--public-url[^]*govctl event list --follow/),
    ]);
    const { world } = await listen(['--public-url', 'https://tunnel.example.com/x/'], elsewhere);
    expect(world.written.stderr).toContain('Listening');
    const [{ url } = { url: '' }] = await webhooks();
    expect(url).toMatch(/^https:\/\/tunnel\.example\.com\/x\/govctl-listen-/);
  });

  it('refuses what cannot be, before anything is registered', async () => {
    const taken = await startApp({ status: 200 });
    for (const argv of [
      ['--event', 'nope'],
      ['--events', 'nope'],
      ['--forward', 'localhost:3000'],
      ['--forward', 'nonsense'],
      ['--forward', 'http://me:pass@localhost/'],
      ['--port', '99999'],
      ['--port', new URL(taken.url).port],
      ['--count', '0'],
      ['--timeout', 'soon'],
      ['--secret-env', 'NOT_SET'],
      ['-o', 'json'],
    ]) {
      const { ended } = await listen(argv);
      expect([argv, (await ended).exitCode]).toEqual([argv, 3]);
    }
    expect(await webhooks()).toEqual([]);
  });
});
