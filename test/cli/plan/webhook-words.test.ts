import { describe, expect, it } from 'vitest';
import type { Fetch } from '../../../src/client/http.ts';
import type { MinimalWebhooks } from '../../support/minimal-webhooks.ts';
import { createMinimalWebhooks } from '../../support/minimal-webhooks.ts';
import type { Outcome } from '../../support/fake-world.ts';
import type { TestRepo } from './repo.ts';
import { createRepo, policyYaml } from './repo.ts';

const url = 'https://hooks.example.com/ops';
const values = { HOOK_SECRET: 'correct-horse-battery', HOOK_TOKEN: 'tok-9f8e7d6c5b4a' };
const unowned = { url, events: ['scan.failed'], tags: ['mine'], secret_hint: 'hand' };

const hook = (fields = ''): string =>
  `kind: Webhook\nkey: ops\nurl: ${url}\nevents: [scan.failed]\nsecret: \${HOOK_SECRET}\n${fields}`;

interface Hooked {
  readonly repo: TestRepo;
  readonly service: MinimalWebhooks;
  run(argv: readonly string[], env?: NodeJS.ProcessEnv): Promise<Outcome>;
}

function hooked(fields = ''): Hooked {
  const repo = createRepo();
  repo.write('policies/hook.yaml', hook(fields));
  const service = createMinimalWebhooks(repo.service.fetch, {
    extends: ['name', 'tags', 'secret_hint'],
  });
  return {
    repo,
    service,
    run: (argv, env = values) => repo.govctl(argv, { fetch: service.fetch, env }),
  };
}

const unwrapped = ({ stdout }: Outcome): string => stdout.replace(/\s+/g, ' ');
const widest = ({ stdout }: Outcome): number =>
  Math.max(...stdout.split('\n').map(({ length }) => length));

describe('a plan of webhooks', () => {
  const filters =
    'filters: {severity: [HIGH, CRITICAL], environments: [production, staging, disaster-recovery]}\n';

  it('says small objects in words, within the width', async () => {
    const { repo, run } = hooked(filters);
    const created = await run(['plan']);
    expect(created.stdout).toContain(
      `      ${url} · scan.failed\n      filters: severity HIGH, CRITICAL; environments production, staging,\n`,
    );
    expect(widest(created)).toBeLessThanOrEqual(80);
    await run(['apply', '-y']);
    repo.write(
      'policies/hook.yaml',
      hook('filters: {severity: [HIGH]}\nretry_config: {max_attempts: 5}\n'),
    );
    const changed = await run(['plan']);
    for (const line of [
      '      ~ filters:',
      '        - severity CRITICAL, HIGH',
      '        - environments disaster-recovery, production, staging',
      '        + severity HIGH',
      '      + retry_config: max_attempts 5',
    ]) {
      expect(changed.stdout).toContain(`${line}\n`);
    }
    expect(widest(changed)).toBeLessThanOrEqual(80);
  });

  it('tells which of two live ones of a url is the project’s, and what to do', async () => {
    const { service, run } = hooked();
    await run(['apply', '-y']);
    service.put(unowned);
    const doubled = await run(['plan']);
    expect(doubled.exitCode).toBe(5);
    expect(unwrapped(doubled)).toContain(
      `2 live webhooks have the url "${url}": wh_1, owned by this project, and wh_2 → Keep wh_1: delete the others with \`govctl webhook delete ID\`, then run plan again.`,
    );
    service.webhooks.delete('wh_1');
    service.put(unowned);
    const strangers = await run(['plan']);
    expect(unwrapped(strangers)).toContain(
      `2 live webhooks have the url "${url}", and none is owned by this project: wh_2, wh_3 → Delete all but one`,
    );
    const refused = await run(['adopt', '--all-matching', '-y']);
    expect(refused.exitCode).toBe(5);
    expect(refused.stderr).toContain('A plan requires a unique url');
  });
});

describe('adopting a webhook', () => {
  it('takes its key in the files too, and says what it looked for', async () => {
    const { service, run } = hooked();
    service.put(unowned);
    const refused = await run(['adopt', 'opps', '-y']);
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain(
      'no live object has this name, URL, key or ID; did you mean "ops"?',
    );
    expect(await run(['adopt', 'ops', '-y'])).toMatchObject({ exitCode: 0 });
    expect(service.webhooks.get('wh_1')?.tags).toContain('govctl.owner:acme');
  });
});

describe('drift without the variables of a webhook', () => {
  const headers = 'headers: {Authorization: "Bearer ${HOOK_TOKEN}", X-Team: ops}\n';

  it('shows an edit of what names none of them', async () => {
    const { service, run } = hooked(headers);
    await run(['apply', '-y']);
    expect(await run(['drift'], {})).toMatchObject({ exitCode: 0 });
    Object.assign(service.webhooks.get('wh_1') ?? {}, { timeout_seconds: 5 });
    const drift = await run(['drift', '-o', 'json'], {});
    expect(JSON.parse(drift.stdout)).toMatchObject({
      drifted: [{ kind: 'Webhook', fields: [{ path: 'timeout_seconds', after: 5 }] }],
    });
    expect((await run(['drift'], {})).stdout).toContain('! webhook ops  wh_1');
  });

  it('says that they are not set where they are what is missing, and blames no file', async () => {
    const { service, run } = hooked(headers);
    await run(['apply', '-y']);
    Object.assign(service.webhooks.get('wh_1') ?? {}, {
      headers: { Authorization: 'Bearer by-hand-0123456789', 'X-Team': 'ops' },
    });
    const note =
      'the environment variable HOOK_TOKEN is not set, so its headers cannot be compared';
    const told = await run(['drift'], {});
    expect(told.exitCode).toBe(2);
    expect(unwrapped(told)).toContain(`The edit cannot be shown: ${note}.`);
    expect(told.stdout).not.toContain('no longer hold');
    expect(widest(told)).toBeLessThanOrEqual(80);
    const json = await run(['drift', '-o', 'json'], {});
    expect(JSON.parse(json.stdout)).toMatchObject({ drifted: [{ fields: null, note }] });
    for (const format of ['markdown', 'github', 'sarif']) {
      expect((await run(['drift', '-o', format], {})).stdout).toContain('TOKEN is not set');
    }
    const set = await run(['drift', '-o', 'json']);
    expect(JSON.parse(set.stdout)).toMatchObject({
      drifted: [{ fields: [{ path: 'headers.authorization', after: '…' }] }],
    });
    expect(set.stdout + told.stdout).not.toMatch(/tok-9f8|by-hand/);
  });
});

describe('planning a repo without webhooks', () => {
  it('asks for all kinds at once, and for nothing after them', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    const service = createMinimalWebhooks(repo.service.fetch);
    service.put({ url });
    const asked: string[] = [];
    let askedForWebhooks = (): void => {};
    const webhooksAsked = new Promise<void>((resolve) => (askedForWebhooks = resolve));
    // Policies are answered only once webhooks were asked for: in a row, this would hang.
    const fetch: Fetch = async (address, init) => {
      const { pathname } = new URL(address);
      asked.push(pathname);
      if (pathname === '/v1/webhooks') askedForWebhooks();
      else await webhooksAsked;
      return service.fetch(address, init);
    };
    expect(await repo.govctl(['plan'], { fetch })).toMatchObject({ exitCode: 0 });
    expect(asked.sort()).toEqual([
      '/v1/budgets',
      '/v1/compliance/framework-definitions',
      '/v1/exemptions',
      '/v1/policies',
      '/v1/reports/schedules',
      '/v1/webhooks',
    ]);
  });
});
