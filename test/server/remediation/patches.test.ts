import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RemediationWithActions } from '../../../src/contract/remediations.ts';
import type { Violation } from '../../../src/contract/violations.ts';
import { images } from '../../../src/server/remediation/collection.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { Got, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;

const start = async (options: Parameters<typeof startTestService>[0] = {}): Promise<void> => {
  service = await startTestService(options);
  inventory = inventoryOf(service);
};
beforeEach(() => start());
afterEach(() => service.close());

const restart = async (options: Parameters<typeof startTestService>[0]): Promise<void> => {
  await service.close();
  await start(options);
};

const path = '/v1/compliance/remediate';
const hour = 3_600_000;

const versioned = {
  rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
  remediation_action: 'patch:{"versioning":{"enabled":true}}',
};
const plain = { versioning: { enabled: false } };

const ask = (body: object): Promise<Got> => service.send('POST', path, { body });
const remediate = async (body: object): Promise<RemediationWithActions> =>
  (await inventory.ok('POST', path, { body })).json as RemediationWithActions;
const read = async (id: string): Promise<RemediationWithActions> =>
  (await inventory.ok('GET', `${path}/${id}`)).json as RemediationWithActions;
const errorOf = (got: Got): [number, unknown, unknown] => [
  got.status,
  got.json.error,
  got.json.error_description,
];
const eventsOf = async (type: string): Promise<Record<string, unknown>[]> =>
  (await inventory.ok('GET', `/v1/events?type=${type}`)).json.events as Record<string, unknown>[];

/** A policy with a patch, and buckets that fail it. */
async function failing(...ids: string[]): Promise<string> {
  const policy = await inventory.createPolicy('versioning', versioned);
  for (const id of ids) await inventory.put(id, plain);
  return policy;
}

describe('a dry run', () => {
  it('stores a plan with each change, how far it reaches, and a digest, and changes nothing', async () => {
    const policy = await failing('a', 'b');
    const plan = await remediate({ policy_id: policy });
    expect(plan).toMatchObject({
      status: 'planned',
      dry_run: true,
      why_not: [],
      blast: { resources: 2, accounts: 0, environments: 0, percent: 100 },
      counts: { planned: 2, completed: 0, skipped: 0 },
      expires_at: '2026-03-02T12:00:00.000Z',
    });
    expect(plan.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(plan.actions).toMatchObject([
      {
        n: 1,
        resource_id: 'a',
        method: 'patch',
        executor: 'inventory',
        status: 'planned',
        before_image: false,
        changes: [{ path: 'versioning.enabled', before: false, after: true }],
      },
      { n: 2, resource_id: 'b' },
    ]);
    await service.remediate();
    expect(await read(plan.id)).toMatchObject({ status: 'planned' });
    expect(await inventory.violations('status=OPEN')).toHaveLength(2);
  });

  it('is what is planned when nobody says otherwise, and expires after a day', async () => {
    await failing('a');
    const { id, dry_run } = await remediate({ filter: { severity: ['MEDIUM'] } });
    expect(dry_run).toBe(true);
    service.advance(24 * hour);
    await service.remediate();
    expect(await read(id)).toMatchObject({
      status: 'expired',
      counts: { planned: 0, cancelled: 1 },
      actions: [{ status: 'cancelled' }],
    });
  });

  it('is carried out once where its request is repeated, though nothing is left to be remediated', async () => {
    const body = { policy_id: await failing('a'), dry_run: false };
    const sent = { body, headers: { 'Idempotency-Key': 'once' } };
    const { id } = (await inventory.ok('POST', path, sent)).json;
    await service.remediate();
    expect(await inventory.violations('status=OPEN')).toHaveLength(0);
    expect((await inventory.ok('POST', path, sent)).json).toMatchObject({ id });
    expect(errorOf(await ask(body))).toContain('No open violations match');
  });

  it('has the same digest as the same plan, and another one once the resource changes', async () => {
    const policy = await failing('a');
    const { digest } = await remediate({ policy_id: policy });
    expect((await remediate({ policy_id: 'versioning' })).digest).toBe(digest);
    await inventory.put('a', { ...plain, name: 'new' });
    expect((await remediate({ policy_id: policy })).digest).not.toBe(digest);
    const got = await ask({ policy_id: policy, dry_run: false, expected_digest: digest });
    expect(errorOf(got)).toEqual([
      409,
      'remediation_state',
      'The plan has changed since it was shown',
    ]);
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
  });
});

describe('a remediation', () => {
  it('writes the patch into the inventory of a local server, and resolves the violation', async () => {
    const policy = await failing('a', 'b');
    const { id, status } = await remediate({ policy_id: policy, dry_run: false });
    expect(status).toBe('approved');
    await service.remediate();
    const done = await read(id);
    expect(done).toMatchObject({
      status: 'completed',
      counts: { planned: 0, completed: 2 },
      actions: [
        { status: 'completed', before_image: true, attempted_at: '2026-03-01T12:00:00.000Z' },
        { status: 'completed', before_image: true },
      ],
    });
    const bucket = (await inventory.ok('GET', '/v1/resources/a')).json;
    expect(bucket).toMatchObject({ id: 'a', versioning: { enabled: true } });
    const [violation] = await inventory.violations('resource_id=a');
    expect(violation).toMatchObject({
      status: 'RESOLVED',
      remediation_id: id,
      history: [
        { status: 'OPEN' },
        { status: 'RESOLVED', cause: 'remediated', remediation_id: id },
      ],
    });
    const resolved = await eventsOf('policy.violation.resolved');
    expect(resolved).toHaveLength(2);
    expect(resolved[0]).toMatchObject({ data: { violation: { remediation_id: id } } });
  });

  it('keeps each resource as it was before', async () => {
    const policy = await failing('a');
    const { id } = await remediate({ policy_id: policy, dry_run: false });
    await service.remediate();
    const kept = await service.deps.store.get(images, `${id}:0001`);
    expect(kept?.doc.resource).toMatchObject({ id: 'a', versioning: { enabled: false } });
  });

  it('that opens again has no remediation any more', async () => {
    const policy = await failing('a');
    await remediate({ policy_id: policy, dry_run: false });
    await service.remediate();
    await inventory.put('a', plain);
    const violation = await inventory.violation();
    expect(violation.status).toBe('OPEN');
    expect(violation).not.toHaveProperty('remediation_id');
  });

  it('skips what has changed since the plan, one by one', async () => {
    const policy = await failing('a', 'b', 'c', 'd');
    const { id } = await remediate({ policy_id: policy, dry_run: false });
    await inventory.put('a', { ...plain, owner: 'new' });
    await inventory.ok('DELETE', '/v1/resources/b');
    const [open] = await inventory.violations('resource_id=c');
    await inventory.ok('POST', `/v1/violations/${open?.id ?? ''}/resolve`, {
      body: { reason: 'torn down' },
    });
    await service.remediate();
    const done = await read(id);
    expect(done.status).toBe('completed');
    expect(done.actions.map(({ status, why }) => [status, why])).toEqual([
      ['skipped', 'the resource has changed since the plan was created'],
      ['skipped', 'the resource was deleted since the plan was created'],
      ['skipped', 'the violation is now RESOLVED'],
      ['completed', undefined],
    ]);
    expect((await inventory.ok('GET', '/v1/resources/a')).json).toMatchObject(plain);
  });

  it('does nothing by a policy that has changed since the plan', async () => {
    const policy = await failing('a');
    const { id } = await remediate({ policy_id: policy, dry_run: false });
    await inventory.changePolicy(policy, {
      remediation_action: 'patch:{"versioning":{"enabled":true},"acl":"private"}',
    });
    await service.remediate();
    expect(await read(id)).toMatchObject({
      status: 'failed',
      actions: [{ status: 'skipped', why: 'the policy has changed since the plan was created' }],
    });
  });

  it('fixes several findings of one resource, each knowing of those before it', async () => {
    await failing('a');
    await inventory.createPolicy('acl', {
      rules: [{ condition: 'resource.acl != "private"', effect: 'DENY' }],
      remediation_action: 'patch:{"acl":"private"}',
      severity: 'HIGH',
    });
    await inventory.put('a', { ...plain, acl: 'public-read' });
    const { id } = await remediate({ filter: { resource_id: 'a' }, dry_run: false });
    await service.remediate();
    const done = await read(id);
    expect(done.actions.map(({ policy_name, status }) => [policy_name, status])).toEqual([
      ['acl', 'completed'],
      ['versioning', 'completed'],
    ]);
    expect((await inventory.ok('GET', '/v1/resources/a')).json).toMatchObject({
      acl: 'private',
      versioning: { enabled: true },
    });
  });

  it('of a patch that does not help fails, and tells of it', async () => {
    const policy = await inventory.createPolicy('both', {
      rules: [
        { condition: 'resource.versioning.enabled == false', effect: 'DENY' },
        { condition: 'resource.acl != "private"', effect: 'DENY' },
      ],
      remediation_action: versioned.remediation_action,
    });
    await inventory.put('a', { ...plain, acl: 'public-read' });
    const { id } = await remediate({ policy_id: policy, dry_run: false });
    await service.remediate();
    const why = 'the resource was evaluated again and still fails';
    expect(await read(id)).toMatchObject({
      status: 'failed',
      counts: { failed: 1 },
      actions: [{ status: 'failed', why, before_image: true }],
    });
    expect(await eventsOf('policy.enforcement.failed')).toMatchObject([
      {
        data: {
          policy: { id: policy, enforcement: { remediation_id: id, resource_id: 'a', error: why } },
        },
      },
    ]);
  });

  it('waits where the policy cannot be decided, and fails when nothing is seen for a day', async () => {
    const policy = await inventory.createPolicy('sized', {
      rules: [
        { condition: 'resource.versioning.enabled == false', effect: 'DENY' },
        { condition: 'resource.versioning.enabled && resource.missing > 3', effect: 'DENY' },
      ],
      remediation_action: versioned.remediation_action,
    });
    await inventory.put('a', plain);
    const { id } = await remediate({ policy_id: policy, dry_run: false });
    await service.remediate();
    expect(await read(id)).toMatchObject({ status: 'running', counts: { unverified: 1 } });
    service.advance(24 * hour);
    await service.remediate();
    expect(await read(id)).toMatchObject({
      status: 'failed',
      actions: [{ why: 'the resource was not evaluated again within 24 hours' }],
    });
  });

  it('that waits is completed by the resource as it is seen again', async () => {
    const policy = await inventory.createPolicy('sized', {
      rules: [
        { condition: 'resource.versioning.enabled == false', effect: 'DENY' },
        { condition: 'resource.versioning.enabled && resource.missing > 3', effect: 'DENY' },
      ],
      remediation_action: versioned.remediation_action,
    });
    await inventory.put('a', plain);
    const { id } = await remediate({ policy_id: policy, dry_run: false });
    await service.remediate();
    const line = { id: 'a', type: 'AWS::S3::Bucket', versioning: { enabled: true }, missing: 1 };
    expect((await inventory.importLines(JSON.stringify(line))).status).toBe(200);
    expect(await read(id)).toMatchObject({ status: 'completed', counts: { completed: 1 } });
  });

  it('can be cancelled before it begins, and not after it has ended', async () => {
    const policy = await failing('a');
    const { id } = await remediate({ policy_id: policy, dry_run: false });
    const cancelled = await inventory.ok('POST', `${path}/${id}/cancel`, {
      body: { reason: 'a freeze' },
    });
    expect(cancelled.json).toMatchObject({
      status: 'cancelled',
      reason: 'a freeze',
      counts: { cancelled: 1 },
    });
    await service.remediate();
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
    const again = await service.send('POST', `${path}/${id}/cancel`, { body: {} });
    expect(errorOf(again)).toEqual([409, 'remediation_state', `${id} is already cancelled`]);
  });

  it('notifies once more where that is all its policy asks for', async () => {
    const policy = await inventory.createPolicy('told', {
      rules: versioned.rules,
      remediation_action: 'notify',
    });
    await inventory.put('a', plain);
    const { id } = await remediate({ policy_id: policy, dry_run: false });
    await service.remediate();
    expect(await read(id)).toMatchObject({
      status: 'completed',
      actions: [{ method: 'notify', status: 'completed', before_image: false }],
    });
    expect(await eventsOf('policy.violation.detected')).toHaveLength(2);
  });
});

describe('a selection', () => {
  it('is of the violations that are named, of a policy, of a framework or of its control, or by filter', async () => {
    await inventory.createPolicy('one', { ...versioned, compliance_frameworks: ['SOC2:CC6.1'] });
    await inventory.put('a', { ...plain, account_id: '1' });
    await inventory.put('b', { ...plain, account_id: '2' });
    const { id } = (await inventory.violations('resource_id=a'))[0] as Violation;
    const sizeOf = async (body: object): Promise<number> => (await remediate(body)).actions.length;
    expect(await sizeOf({ violation_ids: [id, id] })).toBe(1);
    expect(await sizeOf({ policy_id: 'one' })).toBe(2);
    expect(await sizeOf({ framework: 'soc2' })).toBe(2);
    expect(await sizeOf({ framework: 'SOC2:cc6.1' })).toBe(2);
    expect(await sizeOf({ filter: { account_id: ['2', '3'] } })).toBe(1);
    await inventory.put('c', { ...plain, tags: { team: 'payments', tier: 'gold' } });
    expect(await sizeOf({ filter: { owner: ['payments'] } })).toBe(1);
    expect(await sizeOf({ filter: { tag: ['tier=gold'] } })).toBe(1);
    expect(await sizeOf({ filter: { framework: ['SOC2'], age: '<7d' } })).toBe(3);
  });

  it('of nothing, of what is not there, or given twice is an error that says so', async () => {
    await failing('a');
    expect(errorOf(await ask({ filter: { account_id: ['9'] } }))).toEqual([
      400,
      'invalid_remediation',
      'No open violations match',
    ]);
    const missing = await ask({ violation_ids: ['viol_x', 'viol_y'] });
    expect([missing.status, missing.json.error, fieldsOf(missing)]).toEqual([
      404,
      'violation_not_found',
      ['violation_ids[0]', 'violation_ids[1]'],
    ]);
    expect((await ask({ policy_id: 'nobody' })).json.error).toBe('policy_not_found');
    expect((await ask({ framework: 'SOC3' })).json.error).toBe('invalid_remediation');
    expect((await ask({ policy_id: 'versioning', framework: 'SOC2' })).status).toBe(400);
    expect((await ask({ filter: {} })).status).toBe(400);
    expect((await ask({})).status).toBe(400);
  });

  it('of what no policy has a remedy for says why', async () => {
    await inventory.createPolicy('bare', { rules: versioned.rules });
    await inventory.put('a', plain);
    expect(errorOf(await ask({ policy_id: 'bare' }))).toEqual([
      400,
      'invalid_remediation',
      'Nothing to remediate: policy bare has no remediation_action',
    ]);
  });
});

describe('guards', () => {
  it('skip what has a protected tag or is in an excluded environment, and refuse where nothing is left', async () => {
    await restart({
      config: { remediation: { guards: { exclude_environments: ['production'] } } },
    });
    await failing();
    await inventory.put('a', { ...plain, tags: { 'govctl.protect': 'yes' } });
    await inventory.put('b', { ...plain, environment: 'Production' });
    const refused = await ask({ policy_id: 'versioning' });
    expect([refused.status, refused.json.error]).toEqual([409, 'remediation_guard']);
    await inventory.put('c', plain);
    const { actions } = await remediate({ policy_id: 'versioning' });
    expect(actions.map(({ status, why }) => [status, why])).toEqual([
      ['skipped', 'tag govctl.protect excludes the resource'],
      ['skipped', 'environment Production is excluded'],
      ['planned', undefined],
    ]);
  });

  it('show all that is too much in a dry run, and refuse to begin', async () => {
    await restart({
      config: { remediation: { guards: { max_resources: 2, max_accounts: 1, max_percent: 10 } } },
    });
    await failing();
    for (let at = 0; at < 3; at++)
      await inventory.put(`bad-${at}`, { ...plain, account_id: `${at}` });
    for (let at = 0; at < 20; at++)
      await inventory.put(`good-${at}`, { versioning: { enabled: true } });
    const why = [
      '3 resources; max_resources is 2',
      '3 accounts; max_accounts is 1',
      '13% of all AWS::S3::Bucket; max_percent is 10',
    ];
    expect((await remediate({ policy_id: 'versioning' })).why_not).toEqual(why);
    const refused = await ask({ policy_id: 'versioning', dry_run: false });
    expect(errorOf(refused)).toEqual([
      409,
      'remediation_guard',
      `Refused by a guard: ${why.join('; ')}`,
    ]);
    expect((await inventory.ok('GET', path)).json.remediations).toHaveLength(1);
  });
});

describe('a server that other machines can reach', () => {
  it('carries out no patch until its operator says what does', async () => {
    await restart({ isLocal: false });
    await failing('a');
    const refused = await ask({ policy_id: 'versioning' });
    expect([refused.status, refused.json.error]).toEqual([409, 'remediator_not_configured']);
  });
});

describe('a patch of a policy', () => {
  const create = (remediation_action: string): Promise<Got> =>
    service.send('POST', '/v1/policies', {
      body: {
        name: remediation_action,
        resource_type: 'AWS::S3::Bucket',
        rules: versioned.rules,
        remediation_action,
      },
    });

  it.each([
    ['patch:{"id":"x"}', 'must not change id of a resource'],
    ['patch:{"versioning":{"enabled":true},"environment":null}', 'must not change environment'],
    ['patch:{"acl":"private"}', 'which no condition of the policy reads'],
    ['patch:{"versioning":{"enabled":"yes"}}', 'versioning.enabled must be true or false'],
    ['patch:{"versioning":{"enabeld":true}}', 'did you mean versioning.enabled?'],
    ['patch:{}', 'changes nothing'],
    ['patch:[1]', 'must be a JSON object after patch:'],
    ['webhook:http://example.com/x', 'must be a URL that begins with https://'],
    ['webhook:https://me:secret@example.com/x', 'must not contain a user name or password'],
    ['exec:../../bin/sh', 'must be a command of the server'],
  ])('like %s is refused', async (action, why) => {
    const got = await create(action);
    expect([got.status, got.json.error, fieldsOf(got)]).toEqual([
      400,
      'invalid_policy',
      ['remediation_action'],
    ]);
    expect(got.text).toContain(why);
  });

  it('is checked when the conditions change, too', async () => {
    const { id } = (await create(versioned.remediation_action)).json;
    const got = await service.send('PUT', `/v1/policies/${String(id)}`, {
      body: { rules: [{ condition: 'resource.acl == "public-read"', effect: 'DENY' }] },
    });
    expect([got.status, got.json.error]).toEqual([400, 'invalid_policy']);
  });
});
