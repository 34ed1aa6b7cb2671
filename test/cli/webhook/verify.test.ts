import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { secret, sentAt, signedDelivery } from '../../support/signed-delivery.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const { body, headers } = signedDelivery();
const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
const request = `POST /hooks HTTP/1.1\r\nHost: example.com\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;

/** Two hours after it was sent. */
const verify = (
  files: Readonly<Record<string, string | Uint8Array>>,
  argv: readonly string[],
  more: FakeWorldSettings = {},
): Promise<Outcome> =>
  runCommandLine(['webhook', 'verify', ...argv], {
    cwd: makeRepo(files),
    now: () => (sentAt + 7_200) * 1_000,
    env: { SECRET: secret, OTHER: 'another secret' },
    ...more,
  });

const withSecret = ['--secret-env', 'SECRET'];

describe('govctl webhook verify', () => {
  it('checks a whole request that was saved, and says what fits and how old it is', async () => {
    const outcome = await verify({ 'request.txt': request }, [
      ...['--request', 'request.txt', '--secret-env', 'OTHER', ...withSecret],
    ]);
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    expect(outcome.stdout).toBe(
      [
        'Verified',
        '  x-service-signature  valid with SECRET',
        '  webhook-signature    valid with SECRET',
        '  sent 2026-01-15 12:00:00 UTC, 2 h ago',
        '  policy.violation.created evt_1',
        '',
      ].join('\n'),
    );
  });

  it('checks a line that the listener wrote, whether its body is text or not', async () => {
    const row = { number: 1, headers, body };
    const base64 = { number: 2, headers, body_base64: Buffer.from(body).toString('base64') };
    for (const saved of [row, base64]) {
      const files = { 'one.json': `${JSON.stringify(saved)}\n` };
      const argv = ['--request', 'one.json', ...withSecret];
      expect((await verify(files, argv)).stdout).toMatch(/^Verified\n/);
    }
    const piped = ['--request', '-', ...withSecret];
    expect((await verify({}, piped, { stdin: JSON.stringify(row, null, 2) })).exitCode).toBe(0);
    const changed = JSON.stringify({ ...row, body: body.replace('HIGH', 'LOW') });
    expect((await verify({ r: changed }, ['--request', 'r', ...withSecret])).exitCode).toBe(2);
  });

  it('fits into the terminal', async () => {
    const other = ['--request', 'r', '--secret-env', 'OTHER'];
    const { stdout } = await verify({ r: request }, other, {
      ...{ tty: true, columns: 80 },
      env: { OTHER: 'another secret', NO_COLOR: '1' },
    });
    expect(stdout).toContain('no signature matches');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('gives the same to programs', async () => {
    const argv = ['--request', 'r', ...withSecret, '-o', 'json'];
    const { stdout } = await verify({ r: request }, argv);
    expect(JSON.parse(stdout)).toMatchObject({
      fits: true,
      timestamp: sentAt,
      timestamp_is_signed: true,
      age_seconds: 7_200,
      event: { type: 'policy.violation.created', id: 'evt_1' },
      signatures: [
        { header: 'x-service-signature', fits: true, secret: 'SECRET' },
        { header: 'webhook-signature', fits: true, secret: 'SECRET' },
      ],
    });
    expect(stdout).not.toContain(secret);
  });

  it.each([
    ['lines', lines.join('\n')],
    ['JSON', JSON.stringify(headers)],
    ['pairs', JSON.stringify(Object.entries(headers))],
    [
      'lists',
      JSON.stringify(Object.fromEntries(Object.entries(headers).map(([n, v]) => [n, [v]]))),
    ],
  ])('takes body and headers apart, headers as %s', async (_, text) => {
    const argv = ['--body', 'body.json', '--headers', 'headers', ...withSecret];
    expect((await verify({ 'body.json': body, headers: text }, argv)).exitCode).toBe(0);
    const piped = ['--body', '-', '--headers', 'headers', ...withSecret];
    expect((await verify({ headers: text }, piped, { stdin: body })).exitCode).toBe(0);
  });

  it('takes one signature alone', async () => {
    const overBody = headers['X-Service-Signature'] ?? '';
    const overTime = headers['webhook-signature'] ?? '';
    const check = (...argv: string[]) =>
      verify({ body }, ['--body', 'body', ...withSecret, ...argv]);
    expect((await check('--signature', overBody)).exitCode).toBe(0);
    const timed = await check('--signature', overBody, '--timestamp', String(sentAt));
    expect(timed.stdout).toContain('2 h ago (not signed)');
    const signed = ['--id', 'evt_1', '--timestamp', String(sentAt)];
    expect((await check('--signature', overTime, ...signed)).exitCode).toBe(0);
    expect(
      (await check('--signature', overTime, '--id', 'evt_2', ...signed.slice(2))).exitCode,
    ).toBe(2);
    expect((await check('--signature', 'sha256=abc')).stdout).toContain('malformed');
    expect((await check('--signature', overTime)).exitCode).toBe(3);
  });

  it('ends with 2 where no signature fits, and says why that may be', async () => {
    const changed = request.replace('"HIGH"', '"LOW" ');
    const outcome = await verify({ r: changed }, ['--request', 'r', ...withSecret]);
    expect([outcome.exitCode, outcome.stdout]).toEqual([
      2,
      expect.stringMatching(/^Not verified: no signature matches: .*unmodified/),
    ]);
    expect(
      (await verify({ r: request }, ['--request', 'r', '--secret-env', 'OTHER'])).exitCode,
    ).toBe(2);
    const retimed = request.replace(
      `webhook-timestamp: ${sentAt}`,
      `webhook-timestamp: ${sentAt + 1}`,
    );
    const half = await verify({ r: retimed }, ['--request', 'r', ...withSecret]);
    expect(half.stdout).toContain('one kind of signature matches');
    const bare = await verify({ r: 'POST / HTTP/1.1\n\n{}' }, ['--request', 'r', ...withSecret]);
    expect(bare.stdout).toContain('no signature header');
  });

  it('holds age against it only where it is asked to', async () => {
    const argv = ['--request', 'r', ...withSecret];
    expect((await verify({ r: request }, [...argv, '--tolerance', '7200'])).exitCode).toBe(0);
    const old = await verify({ r: request }, [...argv, '--tolerance', '300']);
    expect([old.exitCode, old.stdout]).toEqual([2, expect.stringContaining('older than 300 s')]);
    expect((await verify({ r: request }, [...argv, '--tolerance', '-1'])).exitCode).toBe(3);
  });

  it('makes good what editors and tools do to a saved request', async () => {
    const argv = ['--request', 'r', ...withSecret];
    const longer = await verify({ r: `${request}\n` }, argv);
    expect([longer.exitCode, longer.stderr]).toEqual([
      0,
      expect.stringContaining('ignored 1 byte'),
    ]);
    const shorter = await verify({ r: request.slice(0, -5) }, argv);
    expect([shorter.exitCode, shorter.stderr]).toEqual([
      2,
      expect.stringContaining('the file is incomplete'),
    ]);
    const unix = request.replaceAll('\r\n', '\n').replace('POST /hooks HTTP/1.1\n', '');
    expect((await verify({ r: unix }, argv)).exitCode).toBe(0);
    const chunked = request.replace('Host:', 'Transfer-Encoding: chunked\r\nHost:');
    expect((await verify({ r: chunked }, argv)).stderr).toContain('covers the decoded body');
  });

  it.each([
    [[...withSecret], 'No delivery given'],
    [['--request', 'r'], 'No signing secret given'],
    [['--request', 'r', '--secret-env', 'NONE'], 'not set'],
    [['--request', 'r', '--body', 'r', ...withSecret], 'Use either --request or --body'],
    [['--body', 'r', ...withSecret], 'either --headers or --signature'],
    [['--body', 'r', '--headers', 'r', '--id', 'x', ...withSecret], 'require --signature'],
    [['--body', '-', '--headers', 'r', '--secret-stdin'], 'Only one input'],
    [['--request', 'none', ...withSecret], 'none could not be read'],
    [['--request', '.', ...withSecret], 'could not be read'],
    [['--request', 'r', ...withSecret], 'no blank line'],
    [['--request', 'rows', ...withSecret], 'more than one delivery'],
    [['--request', 'row', ...withSecret], 'no headers or body'],
    [['--request', 'half', ...withSecret], 'is not valid JSON'],
    [['--body', 'r', '--headers', 'r', ...withSecret], 'invalid header line'],
    [['--body', 'r', '--headers', 'j', ...withSecret], 'contains no headers'],
  ])('refuses %j with 3', async (argv, message) => {
    const rows = { rows: '{"a": 1}\n{"a": 2}\n', row: '{"body": 7}', half: '{"body": ' };
    const outcome = await verify({ r: 'a line\nanother', j: '["a", 1]', ...rows }, argv);
    expect([outcome.exitCode, outcome.stderr]).toEqual([3, expect.stringContaining(message)]);
  });

  it('shows nothing of a hostile delivery that acts on a terminal', async () => {
    const hostile = signedDelivery(
      JSON.stringify({ id: 'e\u001b[2J', type: '\u001b]0;x\u0007', created: 'x', data: {} }),
    );
    const text = Object.entries(hostile.headers).map(([name, value]) => `${name}: ${value}`);
    const { exitCode, stdout } = await verify({ r: `${text.join('\n')}\n\n${hostile.body}` }, [
      ...['--request', 'r', ...withSecret],
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it('asks for the secret on a terminal', async () => {
    const settings = { tty: true, answers: [secret], env: { NO_COLOR: '1' } };
    const outcome = await verify({ r: request }, ['--request', 'r'], settings);
    expect([outcome.exitCode, outcome.stdout]).toEqual([
      0,
      expect.stringContaining('valid with the entered secret'),
    ]);
  });
});
