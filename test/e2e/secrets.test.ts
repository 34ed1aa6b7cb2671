import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSigningKeys } from '../../src/server/oauth/signing-keys.ts';
import { createSecretBox } from '../../src/server/keys/secret-box.ts';
import { createIds } from '../../src/server/ids.ts';
import { systemClock } from '../../src/server/deps.ts';
import { openLowdbStore } from '../../src/server/store/lowdb/open.ts';
import { collections, lanes } from '../../src/server/wiring/modules.ts';
import { totpAt } from '../../src/server/sign-in/totp.ts';
import { Browser } from '../server/oauth/browser.ts';
import type { Page } from '../server/oauth/browser.ts';
import { clientId, clientSecret, startProvider } from '../server/sign-in/fake-provider.ts';
import { secretOf } from '../server/sign-in/people.ts';
import { gitlabClaims, serveIssuer } from '../server/trusts/fake-issuer.ts';
import { noLog } from '../support/no-log.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { cleanEnvironment, makeTempFolder, projectRoot, startBuiltServer } from '../support/built-cli.ts'; // prettier-ignore
import { createSecretScan } from '../support/secret-scan.ts';
import { makeSelfSigned } from '../support/self-signed.ts';
import { recordingProgram, watchProcesses } from '../support/started-programs.ts';
import { until } from '../support/until.ts';

const scan = createSecretScan();
const home = makeTempFolder();
const folder = (name: string): string => {
  const made = path.join(home, name);
  mkdirSync(made, { recursive: true });
  return made;
};
const [bin, config, repo, temporary, out] = ['bin', 'config', 'repo', 'tmp', 'out'].map(folder) as [string, string, string, string, string]; // prettier-ignore
/** What programs were given that govctl started. */
const started = folder('started');

/** Secrets that the operator and the person have in the environment. */
const operator = {
  COMPANY_SECRET: clientSecret,
  SMTP_PASSWORD: 'smtp-password-1f9c33',
  CHAT_HOOK: 'https://chat.example.com/hooks/4b1c9d-chat-hook',
  S3_SECRET: 's3-secret/9f+2c7d',
  FIXES_SECRET: 'fixes-secret-77ab02',
  FIX_TOKEN: 'fix-token-c0ffee42',
};
const person = {
  HOOK_SECRET: 'hook-secret-5de1f0aa',
  HOOK_TOKEN: 'hook-token-41c7',
  REPORT_PASSWORD: 'report-password-83b1',
};
const password = 'correct horse battery staple';

const environment = (env: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  HOME: home,
  PATH: `${bin}:${process.env.PATH ?? ''}`,
  TMPDIR: temporary,
  GOVCTL_CONFIG_DIR: config,
  DISPLAY: ':77',
  ...env,
});

/** Takes no delivery. */
async function startReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.statusCode = 500;
    response.end('not now');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const linux = process.platform === 'linux';
const certificate = linux ? makeSelfSigned() : undefined;

describe.skipIf(!certificate)('a whole run of real processes', () => {
  let server: BuiltServer;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  beforeAll(async () => {
    provider = await startProvider();
    provider.says.isOffline = true;
  });
  afterAll(async () => {
    await server.stop('SIGKILL');
    await provider.close();
  });

  let count = 0;
  /** Runs a command as people do. @returns its output, and the name of it as a place */
  async function govctl(
    args: readonly string[],
    { env = {}, input = '', exit = 0 }: { env?: Record<string, string>; input?: string; exit?: number } = {}, // prettier-ignore
  ): Promise<{ place: string; stdout: string; json: Record<string, unknown> }> {
    const ran = await execa(process.execPath, [path.join(projectRoot, 'bin/govctl.js'), ...args], {
      cwd: repo,
      env: cleanEnvironment(environment(env)),
      extendEnv: false,
      reject: false,
      input,
    });
    const place = `output ${(count += 1)} of ${args.slice(0, 2).join(' ')}`;
    const said = `${ran.stdout}\n${ran.stderr}`;
    expect(ran.exitCode, `govctl ${args.join(' ')}\n${said}`).toBe(exit);
    scan.text(place, said);
    const json = (): Record<string, unknown> => JSON.parse(ran.stdout) as Record<string, unknown>;
    return { place, stdout: ran.stdout, json: args.includes('json') ? json() : {} };
  }

  const tab = (): Browser => new Browser(server.baseUrl, (request) => fetch(request));
  const post = async (where: string, fields: Record<string, string>) => {
    const response = await fetch(server.baseUrl + where, { method: 'POST', body: new URLSearchParams(fields) }); // prettier-ignore
    return (await response.json()) as Record<string, unknown>;
  };
  const keepCookies = (of: string, browser: Browser): void => {
    scan.secret(`session of ${of}`, browser.cookie('govctl_session'));
  };

  it('leaves no secret where it could be read later, or by others', async () => {
    const receiver = await startReceiver();
    recordingProgram(bin, started, { name: 'git', then: 'exec /usr/bin/git "$@"' });
    recordingProgram(bin, started, { name: 'xdg-open', then: 'exit 0' });
    recordingProgram(bin, started, {
      name: 'fix',
      then: 'cat > /dev/null; echo "did not work with $FIX_TOKEN" >&2; exit 1',
    });
    const configFile = path.join(home, 'server.yaml');
    writeFileSync(configFile, serverConfig(provider.issuer));
    const certFile = path.join(home, 'ca.pem');
    writeFileSync(certFile, certificate?.cert ?? '');
    for (const [name, value] of Object.entries({ ...operator, ...person })) {
      scan.secret(name, value, ...(name === 'FIX_TOKEN' ? ['started/fix'] : []));
    }
    scan.secret('password', password);

    const stopWatching = watchProcesses();
    server = await startBuiltServer({
      args: ['--config', configFile, '--log-level', 'debug'],
      env: environment({ ...operator, NODE_EXTRA_CA_CERTS: certFile }),
      // Other tests may pass the one that they share to commands at the same time.
      key: `gk_${'o'.repeat(43)}`,
    });
    const { baseUrl } = server;
    scan.secret("the operator's key", server.key, 'config/credentials/default.json');
    await govctl(['auth', 'login', '--base-url', baseUrl, '--with-token', '-v'], { input: server.key }); // prettier-ignore

    // A person: invitation, password, second factor, recovery codes, session.
    const invited = await govctl(['user', 'create', 'ann@example.com', '--role', 'owner', '-o', 'json']); // prettier-ignore
    const link = String(invited.json.invitation_url);
    scan.secret('invitation', link.split('/').at(-1), invited.place);
    const ann = tab();
    const chosen = await ann.submit(await ann.open(link), { password, again: password });
    const secret = /class="secret">([A-Z2-7 ]+)</.exec(chosen.text)?.[1]?.replaceAll(' ', '') ?? '';
    scan.secret('second factor', secret);
    keepCookies('ann before her second factor', ann);
    const codes = await ann.submit(chosen, { code: totpAt(secretOf(secret), Date.now()) });
    expect(codes.title).toBe('Save your recovery codes');
    const recovery = [...codes.text.matchAll(/<li>([\w-]+)<\/li>/g)].map(([, code]) => code ?? '');
    for (const code of recovery) scan.secret(`recovery code ${code}`, code);
    keepCookies('ann', ann);
    const made = await ann.submit(await ann.open('/auth/account'), { name: 'page', scope: 'governance:read', days: '30' }, '/auth/account/create-key'); // prettier-ignore
    expect(made.title).toBe('Copy your API key');
    scan.secret('key of the account page', /class="secret">(gk_[^<]+)</.exec(made.text)?.[1]);

    // Her logins on the command line, by browser and by device code.
    const login = execa(process.execPath, [path.join(projectRoot, 'bin/govctl.js'), 'auth', 'login', '--base-url', baseUrl, '--web', '--profile', 'ann', '-v'], { cwd: repo, env: cleanEnvironment(environment()), extendEnv: false }); // prettier-ignore
    let said = '';
    login.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(() => /^http.*\/auth\/authorize.*$/m.test(said));
    const asked = /^http.*\/auth\/authorize.*$/m.exec(said)?.[0] ?? '';
    const back = (await ann.submit(await ann.open(asked), { decision: 'allow' })).url;
    scan.secret('authorization code', back.searchParams.get('code'));
    scan.text('page at the end of the login', await (await fetch(back)).text());
    scan.text('output of auth login --web', (await login).stdout + said);
    const kept = 'config/credentials/ann.json';
    keepTokens('ann', readFileSync(path.join(home, kept), 'utf8'), kept);
    await govctl(['auth', 'status', '--all', '-v']);
    await govctl(['doctor', '-v', '--profile', 'ann']);
    const token = await govctl(['auth', 'token', '--profile', 'ann']);
    scan.secret('access token', token.stdout.trim(), token.place, kept);

    const device = await post('/auth/device', { client_id: 'govctl-cli', scope: 'governance:read offline_access' }); // prettier-ignore
    scan.secret('device code', device.device_code);
    scan.secret('user code', device.user_code);
    scan.secret('user code without its hyphen', String(device.user_code).replace('-', ''));
    const confirm = await ann.submit(await ann.open('/auth/device'), { code: String(device.user_code) }); // prettier-ignore
    expect((await ann.submit(confirm, { decision: 'allow' })).title).toBe('Device logged in');
    const grant = { client_id: 'govctl-cli', grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }; // prettier-ignore
    const tokens = await post('/auth/token', { ...grant, device_code: String(device.device_code) });
    keepTokens('device', JSON.stringify(tokens));
    const again = { client_id: 'govctl-cli', grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) }; // prettier-ignore
    keepTokens('device, refreshed', JSON.stringify(await post('/auth/token', again)));
    // The second use ends the login, and says so in the audit log.
    expect(await post('/auth/token', again)).toMatchObject({ error: 'invalid_grant' });
    await post('/auth/token', { ...again, refresh_token: `${String(tokens.refresh_token)}x` });

    // Somebody of the company.
    const bob = tab();
    const at = (await bob.open('/auth/company/start')).url;
    const claims = { sub: 'subject-of-bob', email: 'bob@example.com', email_verified: true, groups: ['engineers'] }; // prettier-ignore
    const answer = provider.approve(at, claims);
    scan.secret('code of the provider', answer.searchParams.get('code'));
    scan.secret('what ties the answer to the browser', bob.cookie('govctl_company'));
    expect((await bob.open(answer)).title).toBe('Your account');
    keepCookies('bob', bob);
    for (const one of provider.given) scan.secret('token of the provider', one);
    const wrong = tab();
    const signIn = await wrong.open('/auth/sign-in');
    const tried: Page = await wrong.submit(signIn, { email: 'ann@example.com', password: `${password}!` }); // prettier-ignore
    scan.text('page after a wrong password', tried.text);

    // Keys and clients.
    const key = await govctl(['api-key', 'create', '--name', 'ci', '--scope', 'governance:read,compliance:write', '-o', 'json']); // prettier-ignore
    scan.secret('key', key.json.key, key.place);
    const rotated = await govctl(['api-key', 'rotate', String(key.json.id), '--require-signature', '-o', 'json']); // prettier-ignore
    scan.secret('rotated key', rotated.json.key, rotated.place);
    scan.secret('signing secret', rotated.json.signing_secret, rotated.place);
    const signing = { GOVCTL_TOKEN: String(rotated.json.key), GOVCTL_SIGNING_SECRET: String(rotated.json.signing_secret), GOVCTL_BASE_URL: baseUrl }; // prettier-ignore
    await govctl(['policy', 'list', '-v'], { env: signing });
    const signed = 'config/credentials/signed.json';
    scan.secret('rotated key', rotated.json.key, signed);
    scan.secret('signing secret', rotated.json.signing_secret, signed);
    await govctl(['auth', 'login', '--base-url', baseUrl, '--with-token', '--profile', 'signed', '-v'], { input: `${signing.GOVCTL_TOKEN}\n${signing.GOVCTL_SIGNING_SECRET}\n` }); // prettier-ignore
    const client = await govctl(['client', 'create', '--name', 'ci', '--scope', 'governance:read', '-o', 'json']); // prettier-ignore
    scan.secret('client secret', client.json.client_secret, client.place);
    const other = await govctl(['client', 'rotate', String(client.json.client_id), '-o', 'json']);
    scan.secret('rotated client secret', other.json.client_secret, other.place);
    const asClient = { GOVCTL_CLIENT_ID: String(client.json.client_id), GOVCTL_CLIENT_SECRET: String(other.json.client_secret), GOVCTL_BASE_URL: baseUrl }; // prettier-ignore
    await govctl(['policy', 'list', '-v'], { env: asClient });
    await govctl(['policy', 'list', '-v'], { env: { ...asClient, GOVCTL_CLIENT_SECRET: `${asClient.GOVCTL_CLIENT_SECRET}x` }, exit: 4 }); // prettier-ignore
    const clientToken = await govctl(['auth', 'token'], { env: asClient });
    scan.secret('token of a client', clientToken.stdout.trim(), clientToken.place);

    // A CI job.
    const issuer = await serveIssuer(certificate);
    await govctl(['trust', 'create', 'acme/policies', '--provider', 'gitlab', '--issuer', issuer.url, '--repository-id', '20', '--ref', 'refs/heads/main', '--scope', 'governance:read,compliance:write']); // prettier-ignore
    const idToken = await issuer.sign({ ...gitlabClaims, aud: baseUrl });
    scan.secret('ID token of a job', idToken);
    scan.secret('signature of the ID token of a job', idToken.split('.').at(-1));
    const job = { GOVCTL_ID_TOKEN: idToken, GOVCTL_BASE_URL: baseUrl, GITLAB_CI: 'true', CI_JOB_ID: '77', CI_SERVER_URL: issuer.url }; // prettier-ignore
    await govctl(['auth', 'login', '--oidc', '--profile', 'job', '-v'], { env: job });
    const ofJob = 'config/credentials/job.json';
    keepTokens('job', readFileSync(path.join(home, ofJob), 'utf8'), ofJob);

    // Policies and a webhook from a repo, by a saved plan; a command that fixes, and fails.
    writeRepo(receiver);
    await govctl(['plan', '--out', path.join(out, 'plan.json'), '-v'], { env: { ...person, ...signing } }); // prettier-ignore
    await govctl(['show', path.join(out, 'plan.json'), '-o', 'json']);
    await govctl(['apply', path.join(out, 'plan.json'), '--auto-approve', '-v'], { env: { ...person, ...signing } }); // prettier-ignore
    const generated = await govctl(['webhook', 'create', '--url', `${receiver}/own`, '--event', 'api.key.created,user.login', '--generate-secret', '-o', 'json']); // prettier-ignore
    scan.secret('webhook secret', generated.json.secret, generated.place);
    const turned = await govctl(['webhook', 'rotate-secret', String(generated.json.id), '--generate-secret', '-o', 'json']); // prettier-ignore
    scan.secret('rotated webhook secret', turned.json.secret, turned.place);
    writeFileSync(path.join(repo, 'resources.json'), JSON.stringify([{ id: 'b1', type: 'AWS::S3::Bucket', public: true }])); // prettier-ignore
    await govctl(['resource', 'import', 'resources.json']);
    await govctl(['remediate', 'apply', '--type', 'AWS::S3::Bucket', '--auto-approve', '-v'], {
      exit: 1,
    });
    await govctl(['webhook', 'deliveries', String(generated.json.id), '-o', 'json']);

    // Reports.
    const report = await govctl(['report', 'create', 'whole', '--type', 'compliance', '--format', 'pdf,json', '--password-env', 'REPORT_PASSWORD', '--out', path.join(out, 'reports')], { env: person }); // prettier-ignore
    expect(report.stdout).not.toBe('');
    await govctl(['report', 'create', 'open', '--type', 'audit', '--format', 'pdf,excel,json', '--out', path.join(out, 'reports')]); // prettier-ignore
    const shared = await govctl(['report', 'link', 'open', '-o', 'json']);
    scan.secret('download link', new URL(String(shared.json.url), baseUrl).search, shared.place);

    // Everything that lists what was done, and a command beside a local server of its own.
    const lists = ['audit list', 'audit uses', 'event list', 'api-key list', 'client list', 'user list', 'trust list', 'server requests']; // prettier-ignore
    for (const words of lists) await govctl([...words.split(' '), '-o', 'json']);
    const hooks = await govctl(['webhook', 'list', '-o', 'json']);
    // Values of custom headers are no secrets, as docs/security.md says.
    scan.secret('HOOK_TOKEN', person.HOOK_TOKEN, hooks.place, 'data/webhooks.json', 'data/idempotency_keys.json', 'data/journal-0000000000000000.ndjson.bak', 'out/snapshot.json'); // prettier-ignore
    await govctl(['server', 'exec', '--', 'env'], { env: { ...signing, ...asClient, ...job } });
    await govctl(['audit', 'export', path.join(out, 'audit.jsonl')]);
    await govctl(['server', 'snapshot', path.join(out, 'snapshot.json')]);
    await govctl(['auth', 'logout', '--profile', 'ann', '-v']);

    expect(await server.stop()).toBe(0);
    scan.text('process list', stopWatching());
    const { stdout, stderr } = (await server.process) as { stdout: string; stderr: string };
    scan.text('log', stdout + stderr);
    await keepPrivateKeys(server.dataDir);
    for (const [name, where] of Object.entries({ data: server.dataDir, config, repo, started, tmp: temporary, out })) scan.files(name, where); // prettier-ignore

    expect(scan.size).toBeGreaterThan(50);
    for (const part of [
      'data/',
      'out/plan.json',
      'out/snapshot.json',
      'out/audit.jsonl',
      'started/git',
      'started/xdg-open',
      'started/fix',
      'out/reports/',
      'config/',
      'log',
      'process list',
    ]) {
      expect([part, scan.places.some((place) => place.startsWith(part))]).toEqual([part, true]);
    }
    expect(scan.found()).toEqual([]);
  });

  const serverConfig = (issuer: string): string =>
    JSON.stringify({
      sign_in: {
        company: {
          name: 'Example Corp',
          issuer,
          client_id: clientId,
          client_secret: '${COMPANY_SECRET}',
          scopes: ['openid', 'email', 'profile', 'offline_access'],
          roles: [{ claim: 'groups', value: 'engineers', role: 'editor' }],
        },
      },
      smtp: { host: '127.0.0.1', port: 1, tls: 'none', user: 'u', password: '${SMTP_PASSWORD}', from: 'a@example.com' }, // prettier-ignore
      chat: { channels: { '#ops': '${CHAT_HOOK}' } },
      object_storage: { access_key_id: 'AKEXAMPLE', secret_access_key: '${S3_SECRET}', buckets: ['reports'] }, // prettier-ignore
      remediation: {
        commands: {
          fix: { command: [path.join(bin, 'fix'), '--now'], env: ['PATH', 'FIX_TOKEN'] },
        },
        webhooks: { 'fixes.example.com': { secret: '${FIXES_SECRET}' } },
      },
    });

  function writeRepo(receiver: string): void {
    writeFileSync(path.join(repo, 'govctl.yaml'), 'project: acme\npaths: [policies]\n');
    mkdirSync(path.join(repo, 'policies'));
    writeFileSync(
      path.join(repo, 'policies/a.yaml'),
      [
        'name: public-buckets',
        'resource_type: AWS::S3::Bucket',
        'rules: [{condition: "resource.public == true", effect: DENY}]',
        'remediation_action: exec:fix',
        '---',
        'kind: Webhook',
        `url: ${receiver}/repo`,
        'events: [policy.violation.created]',
        'secret: ${HOOK_SECRET}',
        'headers: {authorization: "Bearer ${HOOK_TOKEN}"}',
        '',
      ].join('\n'),
    );
    const git = (...words: string[]) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...words], { cwd: repo }); // prettier-ignore
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'a repo');
  }

  /** The access and refresh tokens in a text. */
  function keepTokens(of: string, text: string, ...shownIn: readonly string[]): void {
    const found = [...text.matchAll(/"(secret|value|\w+_token)":\s*"([^"]+)"/gi)];
    expect([of, found.length > 0]).toEqual([of, true]);
    for (const [, name = '', value] of found) scan.secret(`${name} of ${of}`, value, ...shownIn);
  }

  /** What the data directory has sealed, and the key that seals it. */
  async function keepPrivateKeys(dir: string): Promise<void> {
    const key = readFileSync(path.join(dir, 'secret.key'), 'utf8').trim();
    scan.secret('the secret key', key, 'data/secret.key');
    const random = (): Uint8Array => new Uint8Array();
    const store = await openLowdbStore({ dir, collections, lanes });
    const secrets = createSecretBox(Buffer.from(key, 'base64'), random);
    const deps = { store, clock: systemClock, ids: createIds(systemClock, random), random, log: noLog, secrets, version: '0' }; // prettier-ignore
    const signing = await readSigningKeys(deps);
    for (const { d } of signing.open()) scan.secret('private key of ID tokens', d);
    await store.close();
  }
});
