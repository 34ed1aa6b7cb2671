import { describe, expect, it } from 'vitest';
import type { Fetch } from '../../../src/client/http.ts';
import type { MinimalWebhooks, WebhookFaults } from '../../support/minimal-webhooks.ts';
import { createMinimalWebhooks } from '../../support/minimal-webhooks.ts';
import type { Outcome } from '../../support/fake-world.ts';
import type { TestRepo } from './repo.ts';
import { createRepo, policyYaml } from './repo.ts';

const url = 'https://hooks.example.com/ops';
const values = { HOOK_SECRET: 'correct-horse-battery', HOOK_TOKEN: 'tok-9f8e7d6c5b4a' };

const hook = (fields = ''): string =>
  `kind: Webhook\nname: Ops\nurl: ${url}\nevents: [scan.failed]\nsecret: \${HOOK_SECRET}\n${fields}`;

interface Elsewhere {
  readonly repo: TestRepo;
  readonly service: MinimalWebhooks;
  run(...argv: string[]): Promise<Outcome>;
}

function elsewhere(faults: WebhookFaults, fields = ''): Elsewhere {
  const repo = createRepo();
  repo.write('policies/hook.yaml', hook(fields));
  const service = createMinimalWebhooks(repo.service.fetch, faults);
  return {
    repo,
    service,
    run: (...argv) => repo.govctl(argv, { fetch: service.fetch, env: values }),
  };
}

const services: readonly [string, WebhookFaults][] = [
  ['refuses fields it does not know', { refusesUnknown: true }],
  ['drops fields it does not know', {}],
  ['answers changes with nothing', { emptyAnswers: true }],
];

describe.each(services)('webhooks on a service without tags that %s', (_, faults) => {
  it('are created once, and known by their url from then on', async () => {
    const { service, run } = elsewhere(faults);
    const applied = await run('apply', '-y');
    expect(applied, applied.stdout + applied.stderr).toMatchObject({ exitCode: 0 });
    expect([...service.webhooks.values()]).toMatchObject([{ url, secret: values.HOOK_SECRET }]);
    const again = await run('plan');
    expect(again.stdout).toContain('No changes: 1 document matches its file.');
    expect(again.stdout).toContain(
      'This server does not store tags of webhooks: they are identified by url',
    );
    expect(service.webhooks.size).toBe(1);
  });

  it('are changed where their file says so, with the secret, and nowhere else', async () => {
    const { repo, service, run } = elsewhere(faults);
    const live = service.put({ url, headers: { 'x-by-hand': 'kept' }, timeout_seconds: 7 });
    service.put({ url: 'https://hooks.example.com/other' });
    expect((await run('plan')).stdout).toContain('No changes');
    repo.write('policies/hook.yaml', hook('active: false\n'));
    const planned = await run('plan', '-o', 'json');
    expect(JSON.parse(planned.stdout)).toMatchObject({
      changes: [
        {
          id: live.id,
          fields: [
            { path: 'secret', before: null },
            { path: 'active', after: false },
          ],
        },
      ],
    });
    const applied = await run('apply', '-y');
    expect(applied, applied.stdout + applied.stderr).toMatchObject({ exitCode: 0 });
    expect(applied.stdout).not.toContain('warning');
    expect(service.changes).toEqual([
      { method: 'PUT', body: { active: false, secret: values.HOOK_SECRET } },
    ]);
    expect((await run('plan')).stdout).toContain('No changes');
  });

  it('are never pruned, and never guessed at', async () => {
    const { repo, service, run } = elsewhere(faults);
    await run('apply', '-y');
    repo.write('policies/hook.yaml', policyYaml('beside'));
    expect(await run('apply', '-y', '--prune')).toMatchObject({ exitCode: 0 });
    expect(service.webhooks.size).toBe(1);
    repo.write('policies/hook.yaml', hook());
    service.put({ url });
    const doubled = await run('plan');
    expect(doubled.exitCode).toBe(5);
    expect(doubled.stdout).toContain('2 live webhooks match this document: wh_1, wh_2');
  });

  it('are applied from a saved plan', async () => {
    const { repo, service, run } = elsewhere(faults);
    service.put({ url });
    repo.write('policies/hook.yaml', hook('active: false\n'));
    await run('plan', '--out', 'plan.json');
    expect(await run('apply', 'plan.json', '-y')).toMatchObject({ exitCode: 0 });
    expect(service.webhooks.get('wh_1')).toMatchObject({ active: false });
  });
});

describe('a service of another kind', () => {
  it('without webhooks stops nobody who has none, and is named to who has', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    expect(await repo.govctl(['apply', '-y'])).toMatchObject({ exitCode: 0 });
    repo.write('policies/hook.yaml', hook());
    const refused = await repo.govctl(['plan'], { env: values });
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain(
      'This server does not support webhooks, but the files contain ops (policies',
    );
    expect(await repo.govctl(['plan', '--exclude', 'ops'])).toMatchObject({ exitCode: 0 });
  });

  it('whose webhooks cannot be read stops only who has some', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    const fetch: Fetch = async (address, init) =>
      new URL(address).pathname === '/v1/webhooks'
        ? new Response('{"items": []}', { status: 200 })
        : repo.service.fetch(address, init);
    const planned = await repo.govctl(['plan'], { fetch });
    expect(planned).toMatchObject({ exitCode: 0 });
    expect(planned.stderr).toContain('Skipped webhooks, because this server did not list them');
    repo.write('policies/hook.yaml', hook());
    const refused = await repo.govctl(['plan'], { fetch, env: values });
    expect(refused).toMatchObject({ exitCode: 1 });
    expect(refused.stderr).toContain('the response is not a list of webhooks');
  });

  it('that keeps no tags has nothing to adopt', async () => {
    const { service, run } = elsewhere({});
    service.put({ url });
    expect((await run('adopt', '--all-matching', '-y')).stdout).toContain('Nothing to adopt');
    const refused = await run('adopt', url, '-y');
    expect(refused).toMatchObject({ exitCode: 3 });
    expect(refused.stderr).toContain('does not store tags of webhooks');
    expect(service.changes).toEqual([]);
  });

  it('that repeats what it was sent tells no secret through govctl', async () => {
    const { run } = elsewhere({ refusesAll: true }, 'headers: {X-A: "v ${HOOK_TOKEN}"}\n');
    for (const format of ['table', 'json', 'markdown', 'github']) {
      const refused = await run('apply', '-y', '-v', '-o', format);
      expect(refused.exitCode).toBe(3);
      expect(refused.stdout).toContain('this is not right');
      expect(refused.stdout + refused.stderr).not.toMatch(/correct-|tok-9f8/);
    }
  });
});

/** A service with our extensions, so that what it did on its own can be put there. */
const ours: WebhookFaults = { extends: ['name', 'tags', 'secret_hint', 'disabled_reason'] };

describe('a service with tags that does not tell the end of a secret', () => {
  it('gets it on creation and with other changes, but not where only tags change', async () => {
    const { repo, service, run } = elsewhere({ extends: ['name', 'tags'] }, 'key: first\n');
    await run('apply', '-y');
    repo.write('policies/hook.yaml', hook('key: second\n'));
    await run('apply', '-y');
    repo.write('policies/hook.yaml', hook('key: second\nactive: false\n'));
    await run('apply', '-y');
    expect((await run('plan')).stdout).toContain('No changes');
    expect(service.changes.map(({ body }) => Object.keys(body).sort())).toEqual([
      ['events', 'name', 'secret', 'tags', 'url'],
      ['tags'],
      ['active', 'secret', 'tags'],
    ]);
  });
});

describe('a webhook that the service gave up on', () => {
  const givenUp = async (fields: string) => {
    const made = elsewhere(ours, fields);
    await made.run('apply', '-y');
    const live = made.service.webhooks.get('wh_1');
    Object.assign(live ?? {}, { active: false, disabled_reason: 'every delivery failed' });
    return made;
  };

  it('is told of and left alone where the file says nothing of it', async () => {
    const { repo, service, run } = await givenUp('');
    const planned = await run('plan');
    expect(planned.stdout).toContain('ops was disabled by the service (every delivery failed)');
    expect(planned.stdout).toContain('No changes');
    expect(await run('drift')).toMatchObject({ exitCode: 0 });
    repo.write('policies/hook.yaml', hook('timeout_seconds: 5\n'));
    const applied = await run('apply', '-y');
    expect(applied.stdout).not.toContain('warning');
    expect(service.webhooks.get('wh_1')).toMatchObject({ active: false, timeout_seconds: 5 });
    expect((await run('plan')).stdout).toContain('No changes');
  });

  it('is enabled again where the file says active: true', async () => {
    const { service, run } = await givenUp('active: true\n');
    const planned = await run('plan', '-o', 'json');
    expect(JSON.parse(planned.stdout)).toMatchObject({
      changes: [
        {
          cause: 'disabled',
          reason: expect.stringContaining('disabled by the service: every delivery failed'),
          fields: [{ path: 'active', before: false, after: true }],
        },
      ],
    });
    await run('apply', '-y');
    expect(service.webhooks.get('wh_1')).toMatchObject({ active: true });
  });

  it('shows no value of a header that may be secret, however short', async () => {
    const { service, run } = await givenUp('headers: {X-Token: "${HOOK_TOKEN}", X-Team: ops}\n');
    Object.assign(service.webhooks.get('wh_1') ?? {}, {
      headers: { 'X-Token': 'abc', 'X-Key': 'def', 'X-Team': 'sre' },
    });
    const planned = await run('plan');
    expect(planned.stdout).toContain('- headers.x-key: …');
    expect(planned.stdout).toContain('~ headers.x-token: … → ${HOOK_TOKEN}');
    expect(planned.stdout).toContain('~ headers.x-team: sre → ops');
    expect(planned.stdout).not.toMatch(/abc|def/);
  });

  it('is an edit like any other where somebody paused it', async () => {
    const { service, run } = await givenUp('');
    Object.assign(service.webhooks.get('wh_1') ?? {}, { disabled_reason: 'paused by a user' });
    expect((await run('plan')).stdout).toContain('! update webhook ops');
    expect(await run('drift')).toMatchObject({ exitCode: 2 });
  });
});
