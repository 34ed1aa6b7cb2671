import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import type { Client } from '../../../src/client/client.ts';
import { digestPlan } from '../../../src/project/plan/plan.ts';
import type { RunningServer } from '../../../src/server/start.ts';
import { startServer } from '../../../src/server/start.ts';
import type { Outcome } from '../../support/fake-world.ts';
import type { TestRepo } from './repo.ts';
import { createRepo, policyYaml } from './repo.ts';

const token = 'gk_test_webhooks_0123456789';
const values = { HOOK_SECRET: 'correct-horse-battery', HOOK_TOKEN: 'tok-9f8e7d6c5b4a' };
const otherSecret = 'other-donkey-staple';

/** The secrets that a text tells. */
const toldIn = (text: string): string[] =>
  [...Object.values(values), otherSecret].filter((value) => text.includes(value));

let server: RunningServer;
let client: Client;
const folder = mkdtempSync(path.join(tmpdir(), 'govctl-hooks-'));
beforeAll(async () => {
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: folder,
    store: 'lowdb',
    apiKey: token,
    allowTargets: [],
    rateLimit: 'off',
    metrics: false,
    logLevel: 'silent',
  });
  client = createClient({
    baseUrl: server.baseUrl,
    fetch: server.fetch,
    token: async () => token,
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

let next = 0;
/** A repo whose project and url nobody else has. */
function withHook(fields = '', secret = '${HOOK_SECRET}') {
  const project = `p${++next}`;
  const url = `http://127.0.0.1:9/${project}`;
  const repo = createRepo(`project: ${project}\npaths: [policies]\n`);
  const write = (more: string, told = secret): void =>
    repo.write(
      'policies/hook.yaml',
      `kind: Webhook\nkey: ops\nurl: ${url}\nevents: [policy.violation.created]\nsecret: ${told}\n${more}`,
    );
  write(fields);
  return { repo, project, url, write };
}

const runWith = (repo: TestRepo, env: NodeJS.ProcessEnv, ...argv: string[]): Promise<Outcome> =>
  repo.govctl(argv, { fetch: server.fetch, env: { GOVCTL_TOKEN: token, ...env } });
const run = (repo: TestRepo, ...argv: string[]): Promise<Outcome> => runWith(repo, values, ...argv);

async function liveOf(url: string) {
  const { data } = await client.webhooks.list({});
  return data.webhooks.filter((webhook) => webhook.url === url);
}

const authorized = 'headers: {Authorization: "Bearer ${HOOK_TOKEN}", X-Team: ops}\n';

describe('a webhook in git', () => {
  it('is created, changed and deleted as a policy is, and planned as what it is', async () => {
    const { repo, url, write } = withHook(authorized);
    const planned = await run(repo, 'plan');
    expect(planned.stdout).toContain(
      `  + create webhook ops  policies/hook.yaml:1\n      ${url} · policy.violation.created · secret \${HOOK_SECRET}\n`,
    );
    expect(planned.stdout).toContain('      authorization: Bearer ${HOOK_TOKEN} · x-team: ops\n');
    const applied = await run(repo, 'apply', '-y', '-o', 'json');
    expect(applied, applied.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(applied.stdout)).toMatchObject({
      results: [{ kind: 'Webhook', key: 'ops', status: 'applied' }],
    });
    expect(await liveOf(url)).toMatchObject([
      {
        headers: { Authorization: 'Bearer tok-9f8e7d6c5b4a', 'X-Team': 'ops' },
        secret_hint: 'tery',
      },
    ]);
    expect((await run(repo, 'plan')).stdout).toContain('No changes: 1 document matches its file');

    write('headers: {X-Team: sre}\nfilters: {severity: [HIGH]}\n');
    const changed = await run(repo, 'plan');
    for (const line of [
      '~ update webhook ops',
      '+ filters: severity HIGH',
      '- headers.authorization: …',
      '~ headers.x-team: ops → sre',
    ]) {
      expect(changed.stdout).toContain(line);
    }
    expect(await run(repo, 'diff')).toMatchObject({ exitCode: 2 });
    expect(await run(repo, 'apply', '-y')).toMatchObject({ exitCode: 0 });
    write('');
    expect(await run(repo, 'apply', '-y')).toMatchObject({ exitCode: 0 });
    const [cleared] = await liveOf(url);
    expect(cleared).not.toHaveProperty('filters');
    expect(cleared).not.toHaveProperty('headers');

    repo.remove('policies/hook.yaml');
    repo.write('policies/a.yaml', policyYaml(`beside ${url}`));
    expect((await run(repo, 'plan')).stdout).toContain('? webhook ops');
    expect(await liveOf(url)).toHaveLength(1);
    expect(await run(repo, 'apply', '-y', '--prune')).toMatchObject({ exitCode: 0 });
    expect(await liveOf(url)).toEqual([]);
  });

  it('comes before the policies, so that it hears of them', async () => {
    const { repo, project, url } = withHook();
    repo.write('policies/a.yaml', policyYaml(`heard by ${project}`));
    expect(await run(repo, 'apply', '-y')).toMatchObject({ exitCode: 0 });
    const [webhook] = await liveOf(url);
    const policies = (await client.policies.list({ query: { limit: 100 } })).data.policies;
    const policy = policies.find(({ name }) => name === `heard by ${project}`);
    expect(Date.parse(webhook?.created_at ?? '')).toBeLessThanOrEqual(
      Date.parse(policy?.created_at ?? ''),
    );
  });

  it('tells of edits outside git, and is put back', async () => {
    const { repo, url } = withHook();
    await run(repo, 'apply', '-y');
    const [live] = await liveOf(url);
    await client.webhooks.update({ params: { id: live?.id ?? '' }, body: { active: false } });
    const drift = await runWith(repo, {}, 'drift', '-o', 'json');
    expect(drift.exitCode).toBe(2);
    expect(JSON.parse(drift.stdout)).toMatchObject({
      drifted: [
        {
          kind: 'Webhook',
          key: 'ops',
          fields: [{ path: 'active', before: true, after: false }],
        },
      ],
    });
    expect((await run(repo, 'plan')).stdout).toContain('! update webhook ops');
    await run(repo, 'apply', '-y');
    expect(await liveOf(url)).toMatchObject([{ active: true }]);
  });

  it('is rotated when its variable has another value, and nothing else tells of it', async () => {
    const { repo, url } = withHook();
    await run(repo, 'apply', '-y');
    const rotated = { ...values, HOOK_SECRET: otherSecret };
    const planned = await runWith(repo, rotated, 'plan', '-o', 'json');
    expect(JSON.parse(planned.stdout)).toMatchObject({
      changes: [{ cause: 'secret', fields: [{ path: 'secret', before: '…', after: '(changed)' }] }],
    });
    expect(await runWith(repo, rotated, 'apply', '-y')).toMatchObject({ exitCode: 0 });
    expect(await liveOf(url)).toMatchObject([{ secret_hint: 'aple' }]);
    expect((await runWith(repo, rotated, 'plan')).stdout).toContain('No changes');
  });
});

describe('whose a webhook is', () => {
  it('is asked where one of its url belongs to nobody, and adopting settles it', async () => {
    const { repo, url } = withHook();
    const body = { url, events: ['scan.failed' as const], secret: 'made-by-hand' };
    await client.webhooks.create({ body });
    const blocked = await run(repo, 'plan');
    expect(blocked.exitCode).toBe(5);
    expect(blocked.stdout).toContain('belongs to no project');
    expect(blocked.stdout).toContain(`govctl adopt ${url}`);
    const adopted = await run(repo, 'adopt', url, '-y');
    expect(adopted, adopted.stderr).toMatchObject({ exitCode: 0 });
    expect(await liveOf(url)).toMatchObject([{ events: ['scan.failed'], secret_hint: 'hand' }]);
    expect((await run(repo, 'plan')).stdout).toContain('~ update webhook ops');
    expect(await run(repo, 'apply', '-y')).toMatchObject({ exitCode: 0 });
    expect((await run(repo, 'plan')).stdout).toContain('No changes');
  });

  it('is not settled where two have its url, or another project has it', async () => {
    const { repo, url } = withHook();
    const body = { url, events: ['scan.failed' as const], secret: 'made-by-hand' };
    const tagged = { ...body, tags: ['govctl.owner:elsewhere', 'govctl.key:x@000000000000'] };
    await client.webhooks.create({ body: tagged });
    const foreign = await run(repo, 'plan');
    expect(foreign.exitCode).toBe(5);
    expect(foreign.stdout).toMatch(/belongs to\s+project "elsewhere"/);
    await run(repo, 'apply', '-y', '--prune');
    expect(await liveOf(url)).toHaveLength(1);

    const own = withHook();
    await run(own.repo, 'apply', '-y');
    await client.webhooks.create({ body: { ...body, url: own.url } });
    const doubled = await run(own.repo, 'plan');
    expect(doubled.exitCode).toBe(5);
    expect(doubled.stdout).toContain(`2 live webhooks have the url "${own.url}"`);
  });

  it('keeps one that is protected, and most of many', async () => {
    const { repo, url } = withHook('tags: [govctl.protect]\n');
    await run(repo, 'apply', '-y');
    repo.remove('policies/hook.yaml');
    const refused = await run(repo, 'apply', '-y', '--prune', '--allow-empty');
    expect(refused).toMatchObject({ exitCode: 6 });
    expect(refused.stderr).toContain('A webhook tagged govctl.protect would be deleted');
    expect(await liveOf(url)).toHaveLength(1);

    const many = withHook();
    for (let index = 0; index < 10; index++) {
      many.repo.write(
        `policies/h${index}.yaml`,
        `kind: Webhook\nurl: ${many.url}/${index}\nevents: [scan.failed]\nsecret: \${HOOK_SECRET}\n`,
      );
    }
    expect(await run(many.repo, 'apply', '-y')).toMatchObject({ exitCode: 0 });
    for (let index = 0; index < 5; index++) many.repo.remove(`policies/h${index}.yaml`);
    const guarded = await run(many.repo, 'plan', '--prune');
    expect(guarded).toMatchObject({ exitCode: 6 });
    expect(guarded.stderr).toContain('5 of the 11 webhooks');
  });
});

describe('the secrets of webhooks', () => {
  it('are in no file, no output and no log', async () => {
    const { repo, write } = withHook(authorized);
    const said: string[] = [];
    const hear = async (...argv: string[]): Promise<Outcome> => {
      const outcome = await run(repo, ...argv);
      said.push(outcome.stdout, outcome.stderr);
      return outcome;
    };
    const file = path.join(repo.folder, 'plan.json');
    expect(await hear('plan', '--out', 'plan.json', '-v')).toMatchObject({ exitCode: 0 });
    said.push(readFileSync(file, 'latin1'));
    await hear('show', 'plan.json');
    expect(await hear('apply', 'plan.json', '-y', '-v')).toMatchObject({ exitCode: 0 });
    write('headers: {Authorization: "Basic ${HOOK_TOKEN}", X-Plain: "${HOOK_TOKEN}"}\n');
    for (const format of ['table', 'json', 'yaml', 'ndjson', 'markdown', 'github']) {
      await hear('plan', '-v', '-o', format);
      await hear('diff', '-o', format);
    }
    await hear('plan', '--out', 'plan.json');
    said.push(readFileSync(file, 'latin1'));
    expect(await hear('apply', '-y', '-o', 'json')).toMatchObject({ exitCode: 0 });
    write('headers: {Authorization: "Digest ${HOOK_TOKEN}", X-Plain: plain}\n');
    await hear('plan', '-o', 'json');
    await hear('drift', '-o', 'json');
    repo.remove('policies/hook.yaml');
    await hear('plan', '--prune', '--allow-empty', '--out', 'plan.json', '-o', 'json');
    said.push(readFileSync(file, 'latin1'));
    await hear('diff', '--prune', '--allow-empty');
    expect(said.join('')).toContain('ops');
    expect(toldIn(said.join('\n'))).toEqual([]);
  });

  it.each([
    ['is not set', {}, 'is not set'],
    ['is empty', { HOOK_SECRET: '' }, 'is empty'],
    ['is short', { HOOK_SECRET: 'short12' }, 'is shorter than 8 characters'],
    ['holds a line break', { HOOK_SECRET: 'ends-with-one\n' }, 'contains a line break'],
  ])('name their variable and its place when it %s', async (_, env, said) => {
    const { repo } = withHook();
    for (const command of [['plan'], ['apply', '-y'], ['diff']]) {
      const asked: string[] = [];
      const refused = await repo.govctl(command, {
        env: { GOVCTL_TOKEN: token, ...env },
        fetch: (url, init) => {
          asked.push(init.method);
          return server.fetch(url, init);
        },
      });
      expect(refused.exitCode).toBe(3);
      expect(refused.stdout).toContain('policies/hook.yaml:5:9');
      expect(refused.stdout).toContain(`HOOK_SECRET ${said}`);
      expect(refused.stdout).not.toMatch(/short12|ends-with/);
      expect(asked.every((method) => method === 'GET')).toBe(true);
    }
    repo.write('policies/a.yaml', policyYaml('beside a hook'));
    const without = await runWith(repo, env, 'plan', '--exclude', 'ops');
    expect(without, without.stdout).toMatchObject({ exitCode: 0 });
  });

  it('are read again for a saved plan, and have to be the same', async () => {
    const { repo, url } = withHook(authorized);
    await run(repo, 'plan', '--out', 'plan.json');
    const changed = { ...values, HOOK_SECRET: otherSecret };
    const stale = await runWith(repo, changed, 'apply', 'plan.json', '-y');
    expect(stale.exitCode).toBe(5);
    expect(stale.stderr).toContain('HOOK_SECRET changed since the plan was created');
    expect(toldIn(stale.stdout + stale.stderr)).toEqual([]);
    const missing = await runWith(repo, {}, 'apply', 'plan.json', '-y');
    expect(missing.exitCode).toBe(3);
    expect(missing.stderr).toContain('policies/hook.yaml:1:1');
    expect(missing.stderr).toContain('HOOK_TOKEN is not set');
    expect(await liveOf(url)).toEqual([]);
    expect(await run(repo, 'apply', 'plan.json', '-y')).toMatchObject({ exitCode: 0 });
    const again = await run(repo, 'apply', 'plan.json', '-y');
    expect(again.stdout).toContain('already done');
  });

  it('that were not planned with cannot be sent by a plan that was edited', async () => {
    const { repo, url } = withHook();
    await run(repo, 'plan', '--out', 'plan.json');
    const file = path.join(repo.folder, 'plan.json');
    const plan = JSON.parse(readFileSync(file, 'utf8').replaceAll('HOOK_SECRET', 'HOOK_TOKEN'));
    delete plan.variables.HOOK_TOKEN;
    writeFileSync(file, JSON.stringify({ ...plan, digest: digestPlan(plan) }));
    const refused = await run(repo, 'apply', 'plan.json', '-y');
    expect(refused).toMatchObject({ exitCode: 3 });
    expect(refused.stderr).toContain('missing hash of HOOK_TOKEN');
    expect(await liveOf(url)).toEqual([]);
  });

  it('that a file writes out are applied, but not saved', async () => {
    const { repo, url } = withHook('headers: {X-Api-Key: key-in-the-file}\n', otherSecret);
    const outcomes = [await run(repo, 'plan', '--out', 'plan.json', '-o', 'json')];
    expect(outcomes[0]?.exitCode).toBe(3);
    expect(outcomes[0]?.stderr).toContain('cannot be saved in a plan file');
    expect(outcomes[0]?.stderr).toContain('policies/hook.yaml:1:1');
    expect(() => readFileSync(path.join(repo.folder, 'plan.json'))).toThrow('ENOENT');
    outcomes.push(await run(repo, 'apply', '-y', '-v'));
    expect(outcomes[1], outcomes[1]?.stderr).toMatchObject({ exitCode: 0 });
    expect(await liveOf(url)).toMatchObject([
      { secret_hint: 'aple', headers: { 'X-Api-Key': 'key-in-the-file' } },
    ]);
    outcomes.push(await run(repo, 'plan', '-o', 'json'), await run(repo, 'diff'));
    expect(outcomes[2]?.stdout).toContain('"unchanged": 1');
    const said = outcomes.map(({ stdout, stderr }) => stdout + stderr).join('');
    expect(toldIn(said)).toEqual([]);
    expect(said).not.toContain('key-in-the-file');
  });
});
