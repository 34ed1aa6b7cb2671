import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testEvaluator } from '../evaluation/test-evaluator.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

const hour = 3_600_000;
let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

describe('a violation', () => {
  it('is opened by a resource that fails, in the same transaction, and says what and where', async () => {
    const policyId = await inventory.createPolicy('p', {
      severity: 'HIGH',
      compliance_frameworks: ['SOC2:CC6.1'],
    });
    await inventory.put('arn:aws:s3:::logs', {
      public: true,
      name: 'logs',
      account_id: '123456789012',
      region: 'eu-west-1',
      environment: 'production',
      tags: { team: 'a' },
    });
    const found = await inventory.violation();
    expect(found).toEqual({
      id: expect.stringMatching(/^viol_[0-9a-hjkmnp-tv-z]{26}$/),
      status: 'OPEN',
      policy_id: policyId,
      policy_name: 'p',
      resource_id: 'arn:aws:s3:::logs',
      resource_type: 'AWS::S3::Bucket',
      resource_name: 'logs',
      severity: 'HIGH',
      provider: 'aws',
      account_id: '123456789012',
      region: 'eu-west-1',
      environment: 'production',
      tags: { team: 'a' },
      compliance_frameworks: ['SOC2:CC6.1'],
      message: 'Make it private',
      rules: [{ index: 0, effect: 'DENY', message: 'Make it private' }],
      detected_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
      history: [{ status: 'OPEN', at: '2026-03-01T12:00:00.000Z', cause: 'fails' }],
    });
    expect((await inventory.ok('GET', `/v1/violations/${found.id}`)).json).toEqual(found);
  });

  // Each from an OPEN violation of policy p over resource r.
  const fromOpen: readonly [string, () => Promise<unknown>, string, string][] = [
    ['the resource passes', () => inventory.put('r', { public: false }), 'RESOLVED', 'passes'],
    [
      'the resource goes',
      () => inventory.ok('DELETE', '/v1/resources/r'),
      'RESOLVED',
      'resource_deleted',
    ],
    [
      'the resource becomes one of another type',
      () => inventory.put('r', { public: true, type: 'AWS::EC2::Instance' }),
      'RESOLVED',
      'resource_changed_type',
    ],
    [
      'the policy passes it',
      async () =>
        inventory.changePolicy(await policyId(), {
          rules: [{ condition: 'resource.public == false', effect: 'DENY' }],
        }),
      'RESOLVED',
      'passes',
    ],
    [
      'the policy goes',
      async () => inventory.ok('DELETE', `/v1/policies/${await policyId()}`),
      'RESOLVED',
      'policy_deleted',
    ],
    [
      'the policy is disabled',
      async () => inventory.changePolicy(await policyId(), { enabled: false }),
      'RESOLVED',
      'policy_disabled',
    ],
    [
      'the policy is about another type',
      async () => inventory.changePolicy(await policyId(), { resource_type: 'AWS::EC2::Instance' }),
      'RESOLVED',
      'policy_changed_type',
    ],
    ['an exemption covers it', () => inventory.exempt({ resources: ['r*'] }), 'EXEMPT', 'exempted'],
    ['an exemption covers others', () => inventory.exempt({ resources: ['q'] }), 'OPEN', 'fails'],
    ['it cannot be decided any more', () => inventory.put('r', {}), 'OPEN', 'fails'],
    [
      'a person resolves it',
      async () =>
        inventory.ok('POST', `/v1/violations/${(await inventory.violation()).id}/resolve`, {
          body: { reason: 'torn down' },
        }),
      'RESOLVED',
      'manual',
    ],
  ];
  const policyId = async (): Promise<string> => (await inventory.violation()).policy_id;

  it.each(fromOpen)(
    'that is OPEN, when %s, is as the table says',
    async (_, act, status, cause) => {
      await inventory.createPolicy('p');
      await inventory.put('r', { public: true });
      const before = await inventory.violation();
      service.advance(1_000);
      await act();
      await service.evaluator.run();
      const after = await inventory.violation();
      expect([after.id, after.status, after.history.at(-1)?.cause]).toEqual([
        before.id,
        status,
        cause,
      ]);
      expect(after.resolved_at).toBe(
        status === 'RESOLVED' ? '2026-03-01T12:00:01.000Z' : undefined,
      );
      expect(after.detected_at).toBe(before.detected_at);
      expect(after.reason).toBe(cause === 'manual' ? 'torn down' : undefined);
      if (after.status !== before.status) expect(after.history).toHaveLength(2);
    },
  );

  it('is the same row when its resource fails again after it was resolved', async () => {
    await inventory.createPolicy('p');
    await inventory.put('r', { public: true });
    const before = await inventory.violation();
    for (const isPublic of [false, true]) {
      service.advance(1_000);
      await inventory.put('r', { public: isPublic });
    }
    const after = await inventory.violation();
    expect([after.id, after.status]).toEqual([before.id, 'OPEN']);
    expect(after.detected_at).toBe('2026-03-01T12:00:02.000Z');
    expect(after).not.toHaveProperty('resolved_at');
    expect(after.history.map(({ status }) => status)).toEqual(['OPEN', 'RESOLVED', 'OPEN']);
  });

  it('keeps the last 20 changes of its status', async () => {
    await inventory.createPolicy('p');
    for (let at = 0; at < 30; at++) await inventory.put('r', { public: at % 2 === 0 });
    expect((await inventory.violation()).history).toHaveLength(20);
  });

  it('that a person has resolved is opened by the next evaluation that fails', async () => {
    await inventory.createPolicy('p');
    await inventory.put('r', { public: true });
    const { id } = await inventory.violation();
    await inventory.ok('POST', `/v1/violations/${id}/resolve`, { body: { reason: 'torn down' } });
    await inventory.ok('POST', '/v1/scans', { body: {} });
    await service.evaluator.run();
    const after = await inventory.violation();
    expect([after.id, after.status, after.reason]).toEqual([id, 'OPEN', undefined]);
    expect(after.history.map(({ cause }) => cause)).toEqual(['fails', 'manual', 'fails']);
  });

  it('is not made by what cannot be decided', async () => {
    await inventory.createPolicy('p');
    await inventory.put('r', {});
    expect(await inventory.violations()).toEqual([]);
  });

  it('says why it cannot be decided any more, until it is', async () => {
    await inventory.createPolicy('p');
    await inventory.put('r', { public: true });
    await inventory.put('r', {});
    const undecided = { reason: 'missing_attribute', path: 'resource.public' };
    const standing = { status: 'OPEN', message: 'Make it private', undecided };
    expect(await inventory.violation()).toMatchObject(standing);
    await inventory.exempt({ resources: ['r'] });
    expect(await inventory.violation()).toMatchObject({ ...standing, status: 'EXEMPT' });
    await inventory.put('r', { public: true });
    expect(await inventory.violation()).not.toHaveProperty('undecided');
    await inventory.put('r', {});
    await inventory.ok('DELETE', '/v1/resources/r');
    expect(await inventory.violation()).not.toHaveProperty('undecided');
  });

  it('ends when its policy has become one of another type while it was disabled', async () => {
    const id = await inventory.createPolicy('p');
    await inventory.put('r', { public: true });
    await inventory.changePolicy(id, { enabled: false });
    await inventory.changePolicy(id, { resource_type: 'AWS::EC2::Instance' });
    await inventory.changePolicy(id, { enabled: true });
    await service.evaluator.run();
    const { status, history } = await inventory.violation();
    expect([status, history.at(-1)?.cause]).toEqual(['RESOLVED', 'policy_changed_type']);
  });

  it('follows its exemption: EXEMPT from the start, OPEN when it ends or is deleted', async () => {
    await inventory.createPolicy('p');
    const id = await inventory.exempt({ resources: ['r'], expires: '2026-03-02' });
    await inventory.put('r', { public: true });
    expect(await inventory.violation()).toMatchObject({ status: 'EXEMPT', exemption_id: id });
    service.advance(35 * hour);
    await service.evaluator.run();
    expect((await inventory.violation()).status).toBe('EXEMPT');
    service.advance(1 * hour);
    await service.evaluator.run();
    const ended = await inventory.violation();
    expect([ended.status, ended.history.at(-1)?.cause]).toEqual(['OPEN', 'exemption_ended']);
    expect(ended).not.toHaveProperty('exemption_id');
    expect((await inventory.ok('GET', `/v1/exemptions/${id}`)).json.status).toBe('expired');
    const again = await inventory.exempt({ resources: ['r'] });
    expect((await inventory.violation()).exemption_id).toBe(again);
    await inventory.ok('DELETE', `/v1/exemptions/${again}`);
    expect((await inventory.violation()).status).toBe('OPEN');
  });

  it('that is undecided now still follows its exemption', async () => {
    await inventory.createPolicy('p');
    await inventory.put('r', { public: true });
    await inventory.put('r', {});
    await inventory.exempt({});
    expect((await inventory.violation()).status).toBe('EXEMPT');
  });

  it('of a policy that reads the time comes and goes within the hour', async () => {
    await inventory.createPolicy('p', {
      rules: [{ condition: 'timestamp(resource.until) < now', effect: 'DENY' }],
    });
    await service.evaluator.run();
    await inventory.put('r', { until: '2026-03-01T15:30:00Z' });
    const statuses: string[] = [];
    for (let at = 0; at < 6; at++) {
      service.advance(hour);
      await service.evaluator.run();
      statuses.push((await inventory.violations())[0]?.status ?? 'none');
    }
    expect(statuses).toEqual(['none', 'none', 'none', 'OPEN', 'OPEN', 'OPEN']);
  });

  it('of a policy that reads the time is found at once after hours in which nothing was evaluated', async () => {
    const evaluator = testEvaluator(service.deps, 1);
    for (const id of ['r1', 'r2']) await inventory.put(id, { until: '2026-03-01T15:30:00Z' });
    await inventory.createPolicy('p', {
      rules: [{ condition: 'timestamp(resource.until) < now', effect: 'DENY' }],
    });
    await evaluator.step();
    service.advance(5 * hour);
    await evaluator.run();
    expect(await inventory.violations()).toMatchObject([{ status: 'OPEN' }, { status: 'OPEN' }]);
  });

  it('shows the policy and the resource as they are now', async () => {
    const id = await inventory.createPolicy('p', { severity: 'LOW' });
    await inventory.put('r', { public: true, region: 'eu-west-1' });
    await inventory.put('r', { public: true });
    await inventory.changePolicy(id, { name: 'q', severity: 'CRITICAL' });
    await service.evaluator.run();
    const found = await inventory.violation();
    expect([found.policy_name, found.severity, found.region]).toEqual(['q', 'CRITICAL', undefined]);
    expect(found.history).toHaveLength(1);
  });
});

describe('the list of violations', () => {
  beforeEach(async () => {
    for (const severity of ['LOW', 'CRITICAL', 'MEDIUM', 'HIGH']) {
      await inventory.createPolicy(severity, { severity });
    }
    await inventory.put('a', { public: true, region: 'eu-west-1', account_id: '1' });
    await inventory.put('b', { public: true, environment: 'production', provider: 'Other' });
  });

  it.each([
    ['status=OPEN', 8],
    ['status=RESOLVED,EXEMPT', 0],
    ['severity=HIGH,LOW', 4],
    ['resource_id=a', 4],
    ['region=eu-west-1&account_id=1', 4],
    ['environment=production', 4],
    ['provider=aws', 4],
    ['provider=AWS', 4],
    ['provider=aws,other', 8],
    ['resource_type=AWS::S3::Bucket', 8],
    ['policy_id=pol_none', 0],
  ])('filtered by %s has %i', async (query, count) => {
    expect(await inventory.violations(query)).toHaveLength(count);
  });

  it('sorts by the rank of severity, and pages by cursor without a gap', async () => {
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = await inventory.ok(
        'GET',
        `/v1/violations?sort_by=severity&order=desc&limit=3${cursor}`,
      );
      seen.push(...(page.json.violations as { severity: string }[]).map((each) => each.severity));
      const { next_cursor: next } = page.json.pagination as { next_cursor?: string };
      if (next === undefined) break;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
    const twice = (word: string) => [word, word];
    expect(seen).toEqual(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'].flatMap(twice));
  });

  it('names a wrong filter and the nearest right one', async () => {
    const got = await service.send('GET', '/v1/violations?status=OPNE&polcy_id=x');
    expect([got.status, fieldsOf(got).sort()]).toEqual([400, ['polcy_id', 'status']]);
    expect(got.text).toContain('did you mean OPEN?');
  });
});

describe('resolving by hand', () => {
  it.each([
    ['no reason', {}, 'reason'],
    ['a blank reason', { reason: ' ' }, 'reason'],
    ['an unknown field', { reason: 'r', by: 'me' }, 'by'],
  ])('refuses %s as VIO_001', async (_, body, field) => {
    const got = await service.send('POST', '/v1/violations/viol_x/resolve', { body });
    expect([got.status, got.json.error_code, fieldsOf(got)]).toEqual([400, 'VIO_001', [field]]);
  });

  it('answers 404 for one that is not there, and takes the writing scope', async () => {
    const missing = await service.send('GET', '/v1/violations/viol_x');
    expect([missing.status, missing.json.error_code]).toEqual([404, 'VIO_002']);
    const reader = await service.keyWith('governance:read');
    const refused = await service.send('POST', '/v1/violations/viol_x/resolve', {
      body: { reason: 'r' },
      key: reader,
    });
    expect(refused.status).toBe(403);
  });

  it('keeps the reason for one that is resolved already, without a second event', async () => {
    await inventory.createPolicy('p');
    await inventory.put('r', { public: true });
    const { id } = await inventory.violation();
    const resolve = (reason: string) =>
      inventory.ok('POST', `/v1/violations/${id}/resolve`, { body: { reason } });
    const { json: first } = await resolve('torn down');
    service.advance(1_000);
    const { json: second } = await resolve('ticket 7');
    expect(second).toMatchObject({
      status: 'RESOLVED',
      resolved_at: first.resolved_at,
      reason: 'ticket 7',
      history: [
        { cause: 'fails' },
        { status: 'RESOLVED', cause: 'manual', reason: 'torn down' },
        {
          status: 'RESOLVED',
          cause: 'manual',
          reason: 'ticket 7',
          by: expect.any(String) as string,
        },
      ],
    });
    expect(second.updated_at).not.toBe(first.updated_at);
    const log = await inventory.ok('GET', `/v1/audit-log?subject=${id}&sort_by=sequence&order=asc`);
    expect(log.json.audit_log).toMatchObject([
      { action: 'violation.resolve', changes: ['status'], actor: expect.any(String) as string },
      { action: 'violation.resolve', changes: ['reason'], actor: expect.any(String) as string },
    ]);
    const events = await inventory.ok('GET', '/v1/events?type=policy.violation.resolved');
    expect(events.json).toMatchObject({ pagination: { total: 1 } });
  });

  it('keeps the reason for one that passed', async () => {
    await inventory.createPolicy('p');
    await inventory.put('r', { public: true });
    await inventory.put('r', { public: false });
    const { id } = await inventory.violation();
    const { json } = await inventory.ok('POST', `/v1/violations/${id}/resolve`, {
      body: { reason: 'moved to a private network' },
    });
    expect(json.reason).toBe('moved to a private network');
    await inventory.put('r', { public: true });
    const { status, reason } = await inventory.violation();
    expect([status, reason]).toEqual(['OPEN', undefined]);
  });

  it('is in the audit log', async () => {
    await inventory.createPolicy('p');
    await inventory.put('r', { public: true });
    const { id } = await inventory.violation();
    await inventory.ok('POST', `/v1/violations/${id}/resolve`, { body: { reason: 'r' } });
    const log = await inventory.ok('GET', `/v1/audit-log?subject=${id}`);
    expect(log.json.audit_log).toMatchObject([{ action: 'violation.resolve' }]);
  });
});
