import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Remediation, RemediationWithActions } from '../../../src/contract/remediations.ts';
import { automations, queue } from '../../../src/server/remediation/collection.ts';
import { countRows } from '../../../src/server/store/all-rows.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;

const start = async (options: Parameters<typeof startTestService>[0] = {}): Promise<void> => {
  service = await startTestService(options);
  inventory = inventoryOf(service);
};
const restart = async (options: Parameters<typeof startTestService>[0]): Promise<void> => {
  await service.close();
  await start(options);
};
beforeEach(() => start());
afterEach(() => service.close());

const path = '/v1/compliance/remediate';
const hour = 3_600_000;
const day = 24 * hour;

const versioned = {
  rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
  remediation_action: 'patch:{"versioning":{"enabled":true}}',
  auto_remediation: true,
};
const off = { versioning: { enabled: false } };
/** No guard by percent stands in the way of a whole inventory. */
const unguarded = { guards: { max_percent: 100, max_resources: 1_000 } };

const settle = async (): Promise<void> => {
  await service.evaluator.run();
  await service.remediate();
};
const list = async (query = ''): Promise<Remediation[]> =>
  (await inventory.ok('GET', `${path}?sort_by=created_at&${query}`)).json
    .remediations as Remediation[];
const read = async (id = ''): Promise<RemediationWithActions> =>
  (await inventory.ok('GET', `${path}/${id}`)).json as RemediationWithActions;
const open = async (): Promise<number> => {
  const { pagination } = (await inventory.ok('GET', '/v1/violations?status=OPEN')).json;
  return (pagination as { total: number }).total;
};
const policyOf = async (id: string): Promise<Record<string, unknown>> =>
  (await inventory.ok('GET', `/v1/policies/${id}`)).json;
const eventsOf = async (type: string): Promise<{ data: Record<string, unknown> }[]> =>
  (await inventory.ok('GET', `/v1/events?type=${type}`)).json.events as {
    data: Record<string, unknown>;
  }[];
const queued = (): Promise<number> => countRows(service.deps.store, queue);
const importOff = (...ids: string[]) =>
  inventory.importLines(
    ids.map((id) => JSON.stringify({ id, type: 'AWS::S3::Bucket', ...off })).join('\n'),
  );
const names = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `b-${String(at).padStart(4, '0')}`);

describe('a violation of a policy with auto_remediation is remediated', () => {
  it('when a resource is written, by a plan of the system, and is resolved by it', async () => {
    await inventory.createPolicy('v', versioned);
    await inventory.put('a', off);
    expect(await open()).toBe(1);
    await settle();
    const [remediation] = await list();
    expect(remediation).toMatchObject({
      automatic: true,
      requested_by: 'system',
      status: 'completed',
      dry_run: false,
      requires_approval: 'none',
      counts: { completed: 1 },
    });
    expect((await read(remediation?.id)).actions).toMatchObject([{ attempt: 1, resource_id: 'a' }]);
    expect(await inventory.violation()).toMatchObject({
      status: 'RESOLVED',
      remediation_id: remediation?.id,
    });
    expect(await queued()).toBe(0);
  });

  it('when resources are imported, in one plan', async () => {
    await inventory.createPolicy('v', versioned);
    await importOff('a', 'b', 'c');
    await settle();
    expect(await list()).toMatchObject([{ counts: { completed: 3 } }]);
    expect(await open()).toBe(0);
  });

  it('when the policy is new', async () => {
    await inventory.put('a', off);
    await inventory.createPolicy('v', versioned);
    await settle();
    expect(await open()).toBe(0);
    expect(await list()).toHaveLength(1);
  });

  it('when the rules of the policy change', async () => {
    const id = await inventory.createPolicy('v', {
      ...versioned,
      rules: [{ condition: 'resource.versioning.enabled == "never"', effect: 'DENY' }],
    });
    await inventory.put('a', off);
    await settle();
    expect(await list()).toEqual([]);
    await inventory.changePolicy(id, { rules: versioned.rules });
    await settle();
    expect(await list()).toMatchObject([{ status: 'completed' }]);
    expect(await open()).toBe(0);
  });

  it('when the policy is enabled', async () => {
    const id = await inventory.createPolicy('v', { ...versioned, enabled: false });
    await inventory.put('a', off);
    await settle();
    await inventory.changePolicy(id, { enabled: true });
    await settle();
    expect(await list()).toMatchObject([{ status: 'completed' }]);
  });

  it('when it was open before auto_remediation was turned on', async () => {
    const id = await inventory.createPolicy('v', { ...versioned, auto_remediation: false });
    await importOff('a', 'b');
    await settle();
    expect(await list()).toEqual([]);
    await inventory.changePolicy(id, { auto_remediation: true });
    await settle();
    expect(await list()).toMatchObject([{ counts: { completed: 2 } }]);
    expect(await open()).toBe(0);
  });

  it('when its exemption ends', async () => {
    await inventory.createPolicy('v', versioned);
    await inventory.exempt({ policy: 'v', expires: '2026-03-02' });
    await inventory.put('a', off);
    await settle();
    expect(await list()).toEqual([]);
    service.advance(3 * day);
    await settle();
    expect(await list()).toMatchObject([{ status: 'completed' }]);
  });

  it('when an exemption is deleted', async () => {
    await inventory.createPolicy('v', versioned);
    const id = await inventory.exempt({ policy: 'v' });
    await inventory.put('a', off);
    await settle();
    await inventory.ok('DELETE', `/v1/exemptions/${id}`);
    await settle();
    expect(await list()).toMatchObject([{ status: 'completed' }]);
  });

  it('when time makes it fail', async () => {
    await inventory.createPolicy('v', {
      ...versioned,
      rules: [
        {
          condition:
            'resource.versioning.enabled == false && now > timestamp("2026-03-01T18:30:00Z")',
          effect: 'DENY',
        },
      ],
    });
    await inventory.put('a', off);
    await settle();
    expect(await list()).toEqual([]);
    for (let at = 0; at < 8; at++) {
      service.advance(hour);
      await settle();
    }
    expect(await list()).toMatchObject([{ status: 'completed' }]);
  });

  it('when a scan finds it again after it was resolved by hand', async () => {
    await restart({ config: { remediation: { auto: 'plan' } } });
    await inventory.createPolicy('v', versioned);
    await inventory.put('a', off);
    await settle();
    const { id } = await inventory.violation();
    await inventory.ok('POST', `/v1/violations/${id}/resolve`, { body: { reason: 'gone' } });
    expect(await list()).toHaveLength(1);
    await inventory.ok('POST', '/v1/scans', { body: {} });
    await settle();
    expect(await list()).toHaveLength(2);
  });
});

describe('the rate', () => {
  const limited = { ...unguarded, rate: 2 };

  it('leaves what is over it to the next hours, and loses nothing', async () => {
    await restart({ config: { remediation: limited } });
    await inventory.createPolicy('v', versioned);
    await importOff(...names(5));
    await settle();
    expect(await open()).toBe(3);
    await settle();
    expect(await open()).toBe(3);
    service.advance(hour);
    await settle();
    expect(await open()).toBe(1);
    service.advance(hour);
    await settle();
    expect(await open()).toBe(0);
    expect((await list()).map(({ counts }) => counts.completed)).toEqual([1, 2, 2]);
  });

  it('is that of each policy', async () => {
    await restart({ config: { remediation: limited } });
    const other = {
      rules: [{ condition: 'resource.acl == "public-read"', effect: 'DENY' }],
      remediation_action: 'patch:{"acl":"private"}',
      auto_remediation: true,
    };
    await inventory.createPolicy('v', versioned);
    await inventory.createPolicy('acl', other);
    await inventory.put('a', { ...off, acl: 'public-read' });
    await inventory.put('b', { ...off, acl: 'public-read' });
    await settle();
    service.advance(1_000);
    await settle();
    expect(await list()).toMatchObject([
      { counts: { completed: 2 } },
      { counts: { completed: 2 } },
    ]);
    expect(await open()).toBe(0);
  });
});

describe('the guards', () => {
  it('keep a plan from being carried out, which says why, and cannot be approved', async () => {
    await restart({ config: { remediation: { guards: { max_resources: 1 } } } });
    const policy = await inventory.createPolicy('v', versioned);
    await importOff('a', 'b');
    await settle();
    const [plan] = await list();
    const why = '2 resources; max_resources is 1';
    expect(plan).toMatchObject({ status: 'planned', why_not: [why] });
    const { id = '', digest = '' } = plan ?? {};
    const approved = await service.send('POST', `${path}/${id}/approve`, { body: { digest } });
    expect(approved.json).toMatchObject({ error: 'remediation_guard' });
    expect(await policyOf(policy)).toMatchObject({
      remediation_problem: {
        reason: `refused by a guard: ${why}`,
        stopped: false,
        remediation_id: id,
      },
    });
    expect(await eventsOf('policy.enforcement.failed')).toHaveLength(1);
    service.advance(day);
    await settle();
    expect(await list()).toMatchObject([{ status: 'expired' }]);
  });

  it('skip a resource that is protected, and say so', async () => {
    const policy = await inventory.createPolicy('v', versioned);
    await inventory.put('a', { ...off, tags: { 'govctl.protect': 'yes' } });
    await settle();
    const [plan] = await list();
    expect(plan).toMatchObject({ status: 'failed', counts: { skipped: 1 } });
    expect((await read(plan?.id)).actions[0]?.why).toBe('tag govctl.protect excludes the resource');
    expect(await policyOf(policy)).not.toHaveProperty('remediation_problem');
  });
});

describe('remediation.auto', () => {
  it('plan: leaves the plan to be approved', async () => {
    await restart({ config: { remediation: { auto: 'plan' } } });
    await inventory.createPolicy('v', versioned);
    await inventory.put('a', off);
    await settle();
    const [plan] = await list();
    expect(plan).toMatchObject({ status: 'planned', requires_approval: 'approval', why_not: [] });
    expect(await open()).toBe(1);
    const { id = '', digest = '' } = plan ?? {};
    await inventory.ok('POST', `${path}/${id}/approve`, { body: { digest } });
    await settle();
    expect(await read(id)).toMatchObject({ status: 'completed', approved_by: expect.any(String) });
    expect(await open()).toBe(0);
  });

  it('is run only where remediations require no approval', async () => {
    await restart({ config: { remediation: { auto: 'run', approval: 'approval' } } });
    await inventory.createPolicy('v', versioned);
    await inventory.put('a', off);
    await settle();
    expect(await list()).toMatchObject([{ status: 'planned', requires_approval: 'approval' }]);
  });

  it('off: plans nothing', async () => {
    await restart({ config: { remediation: { auto: 'off' } } });
    await inventory.createPolicy('v', versioned);
    await inventory.put('a', off);
    await settle();
    expect(await list()).toEqual([]);
  });

  it('is plan on a server that others can reach, which shows what keeps patches from being made', async () => {
    await restart({ isLocal: false });
    const policy = await inventory.createPolicy('v', versioned);
    await inventory.put('a', off);
    await settle();
    expect(await list()).toEqual([]);
    const problem = {
      since: '2026-03-01T12:00:00.000Z',
      stopped: false,
      reason: "the server's configuration has no remediation.executors for AWS::S3::Bucket",
    };
    expect(await policyOf(policy)).toMatchObject({ remediation_problem: problem });
    service.advance(hour);
    await settle();
    expect(await queued()).toBe(1);
    expect(await policyOf(policy)).toMatchObject({ remediation_problem: problem });
    expect(await eventsOf('policy.enforcement.failed')).toHaveLength(1);
  });
});

describe('what happens meanwhile', () => {
  const planned = async (): Promise<string> => {
    // Its plan is made when an hour of an earlier one has passed.
    await restart({ config: { remediation: { ...unguarded, rate: 1 } } });
    const policy = await inventory.createPolicy('v', versioned);
    await importOff('a', 'b', 'c');
    await settle();
    expect(await queued()).toBe(2);
    return policy;
  };
  const later = async (): Promise<void> => {
    service.advance(hour);
    await settle();
  };

  it('an exemption: nothing is remediated', async () => {
    await planned();
    await inventory.exempt({ policy: 'v', resources: ['*'] });
    await later();
    expect(await list()).toHaveLength(1);
    expect(await queued()).toBe(0);
  });

  it('the deletion of resources: nothing is remediated', async () => {
    await planned();
    for (const { resource_id: id } of await inventory.violations('status=OPEN')) {
      await inventory.ok('DELETE', `/v1/resources/${id}`);
    }
    await later();
    expect(await list()).toHaveLength(1);
    expect(await queued()).toBe(0);
  });

  it('the deletion of the policy: nothing is remediated, and nothing is left of its queue', async () => {
    const policy = await planned();
    await inventory.ok('DELETE', `/v1/policies/${policy}`);
    await later();
    expect(await list()).toHaveLength(1);
    expect(await queued()).toBe(0);
    expect(await countRows(service.deps.store, automations)).toBe(0);
  });

  it('auto_remediation is turned off: nothing more is remediated', async () => {
    const policy = await planned();
    await inventory.changePolicy(policy, { auto_remediation: false });
    await later();
    expect(await list()).toHaveLength(1);
    expect(await open()).toBe(2);
    expect(await countRows(service.deps.store, automations)).toBe(0);
  });

  it('the policy is disabled: nothing is remediated', async () => {
    const policy = await planned();
    await inventory.changePolicy(policy, { enabled: false });
    await later();
    expect(await list()).toHaveLength(1);
    expect(await queued()).toBe(0);
  });

  it('a restore on another server: it goes on with what is queued, each once', async () => {
    await planned();
    const { text } = await service.send('GET', '/v1/local/snapshot');
    await restart({ config: { remediation: { ...unguarded, rate: 1 } } });
    const headers = { 'content-type': 'application/x-ndjson' };
    await inventory.ok('POST', '/v1/local/restore?clock=snapshot', { text, headers });
    await settle();
    expect(await list()).toHaveLength(1);
    await later();
    await later();
    expect((await list()).map(({ counts }) => counts.completed)).toEqual([1, 1, 1]);
    expect(await open()).toBe(0);
  });

  it('a resource that changes to and fro: it is queued once', async () => {
    await restart({ config: { remediation: { auto: 'off' } } });
    await inventory.createPolicy('v', versioned);
    for (let at = 0; at < 20; at++) {
      await inventory.put('a', off);
      await inventory.put('a', { versioning: { enabled: true } });
    }
    await inventory.put('a', off);
    expect(await queued()).toBe(1);
  });
});

describe('1,000 violations of one import', () => {
  it('wait in a queue of the policy, and are remediated at the rate, in plans of 100 at most', async () => {
    await restart({ config: { remediation: { ...unguarded, rate: 250 } } });
    await inventory.createPolicy('v', versioned);
    await importOff(...names(1_000));
    await service.evaluator.run();
    expect(await queued()).toBe(1_000);
    await settle();
    expect((await list()).map(({ counts }) => counts.completed)).toEqual([50, 100, 100]);
    for (let at = 0; at < 3; at++) {
      service.advance(hour);
      await settle();
    }
    expect(await open()).toBe(0);
    expect(await queued()).toBe(0);
  }, 60_000);
});
