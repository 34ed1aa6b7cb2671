import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/contract/policies.ts';
import type { Remediation, RemediationWithActions } from '../../../src/contract/remediations.ts';
import { queue } from '../../../src/server/remediation/collection.ts';
import { countRows } from '../../../src/server/store/all-rows.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const path = '/v1/compliance/remediate';
const hour = 3_600_000;
const day = 24 * hour;

const settle = async (ms = 0): Promise<void> => {
  service.advance(ms);
  await service.evaluator.run();
  await service.remediate();
};
const list = async (): Promise<Remediation[]> =>
  (await inventory.ok('GET', `${path}?automatic=true&sort_by=created_at&order=asc`)).json
    .remediations as Remediation[];
const read = async (id = ''): Promise<RemediationWithActions> =>
  (await inventory.ok('GET', `${path}/${id}`)).json as RemediationWithActions;
const policyOf = async (id: string): Promise<Policy> =>
  (await inventory.ok('GET', `/v1/policies/${id}`)).json as Policy;
const failures = async (): Promise<unknown[]> => {
  const got = await inventory.ok('GET', '/v1/events?type=policy.enforcement.failed');
  return (got.json.events as { data: { policy: { enforcement: { error: string } } } }[]).map(
    ({ data }) => data.policy.enforcement.error,
  );
};

const versioned = {
  rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
  remediation_action: 'patch:{"versioning":{"enabled":true}}',
  auto_remediation: true,
};
const off = { versioning: { enabled: false } };

/** Its patch does not make it pass. */
const useless = {
  ...versioned,
  rules: [{ condition: 'resource.versioning.mfa == false', effect: 'DENY' }],
};
const bad = { versioning: { enabled: false, mfa: false } };

describe('after an action that failed', () => {
  it('the policy pauses for one hour, then two, and stops after the third in a row', async () => {
    const policy = await inventory.createPolicy('v', useless);
    await inventory.put('a', bad);
    await settle();
    expect(await list()).toMatchObject([{ status: 'failed' }]);
    // Someone takes the useless change back.
    await inventory.put('a', bad);
    await settle(hour - 1);
    expect(await list()).toHaveLength(1);
    await settle(1);
    const [, second] = await list();
    expect((await read(second?.id)).actions).toMatchObject([{ status: 'failed', attempt: 2 }]);
    await inventory.put('a', bad);
    await settle(2 * hour - 1);
    expect(await list()).toHaveLength(2);
    expect(await policyOf(policy)).not.toHaveProperty('remediation_problem');
    await settle(1);
    const third = (await list())[2];
    const reason =
      '3 actions failed in a row, the last on a: the resource was evaluated again and still fails';
    expect((await policyOf(policy)).remediation_problem).toEqual({
      since: '2026-03-01T15:00:00.000Z',
      reason,
      stopped: true,
      remediation_id: third?.id,
    });
    expect(await failures()).toHaveLength(4);
    expect(await failures()).toContain(`automatic remediation has stopped: ${reason}`);
    await inventory.put('a', bad);
    await inventory.put('b', bad);
    await settle(3 * day);
    expect(await list()).toHaveLength(3);
    expect(await countRows(service.deps.store, queue)).toBe(0);
  });

  it('a violation is attempted three times at most, while others are fixed', async () => {
    const policy = await inventory.createPolicy('v', {
      ...useless,
      rules: [
        ...useless.rules,
        { condition: 'resource.versioning.enabled == false', effect: 'DENY' },
      ],
    });
    for (let at = 0; at < 6; at++) {
      await inventory.put('a', bad);
      await inventory.put(`z-${at}`, { versioning: { enabled: false, mfa: true } });
      await settle(4 * hour);
    }
    const attempts = (await Promise.all((await list()).map(({ id }) => read(id)))).flatMap(
      ({ actions }) => actions.filter(({ resource_id: id }) => id === 'a'),
    );
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(await policyOf(policy)).not.toHaveProperty('remediation_problem');
    expect(await inventory.violations('status=OPEN')).toMatchObject([{ resource_id: 'a' }]);
  });
});

describe('automatic remediation of a policy stops', () => {
  it('when a violation is detected again within 24 hours of its fix, and resumes once its action changes', async () => {
    const policy = await inventory.createPolicy('v', versioned);
    await inventory.put('a', off);
    await settle();
    await inventory.put('a', off);
    await settle();
    const [fix, second] = await list();
    expect(second).toBeUndefined();
    expect((await policyOf(policy)).remediation_problem).toMatchObject({
      reason: 'a failed again within 24 hours of its remediation',
      stopped: true,
      remediation_id: fix?.id,
    });
    await inventory.put('b', off);
    await settle(2 * day);
    expect(await list()).toHaveLength(1);
    await inventory.changePolicy(policy, { description: 'It is still stopped.' });
    expect(await policyOf(policy)).toHaveProperty('remediation_problem');
    await inventory.changePolicy(policy, {
      remediation_action: 'patch:{"versioning":{"enabled":true},"acl":"private"}',
    });
    expect(await policyOf(policy)).not.toHaveProperty('remediation_problem');
    await settle();
    expect(await inventory.violations('status=OPEN')).toEqual([]);
  });

  it('and resumes when auto_remediation is turned off and on; what a client sends of the problem is ignored', async () => {
    const policy = await inventory.createPolicy('v', versioned);
    await inventory.put('a', off);
    await settle();
    await inventory.put('a', off);
    await settle();
    const { remediation_problem } = await policyOf(policy);
    await inventory.changePolicy(policy, { remediation_problem: { ...remediation_problem, stopped: false } }); // prettier-ignore
    expect((await policyOf(policy)).remediation_problem).toEqual(remediation_problem);
    await inventory.changePolicy(policy, { auto_remediation: false });
    await inventory.changePolicy(policy, { auto_remediation: true });
    await settle();
    expect(await list()).toHaveLength(2);
    expect(await inventory.violations('status=OPEN')).toEqual([]);
  });

  it('not when it is detected again later', async () => {
    const policy = await inventory.createPolicy('v', versioned);
    await inventory.put('a', off);
    await settle();
    service.advance(day);
    await inventory.put('a', off);
    await settle();
    expect(await list()).toHaveLength(2);
    expect(await policyOf(policy)).not.toHaveProperty('remediation_problem');
  });

  it('not when the fix was asked for by hand', async () => {
    const policy = await inventory.createPolicy('v', { ...versioned, auto_remediation: false });
    await inventory.put('a', off);
    await inventory.ok('POST', path, { body: { policy_id: policy, dry_run: false } });
    await settle();
    await inventory.changePolicy(policy, { auto_remediation: true });
    await inventory.put('a', off);
    await settle();
    expect(await list()).toMatchObject([{ status: 'completed' }]);
  });

  it('when a remediation of it is rolled back', async () => {
    const policy = await inventory.createPolicy('v', versioned);
    await inventory.put('a', off);
    await settle();
    const [fix] = await list();
    await inventory.ok('POST', `${path}/${fix?.id ?? ''}/rollback`, { body: { dry_run: false } });
    await settle();
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
    expect((await policyOf(policy)).remediation_problem).toMatchObject({
      reason: `${fix?.id} was rolled back`,
      stopped: true,
    });
    await settle(3 * day);
    expect(await list()).toHaveLength(1);
  });

  it('when the patches of two policies undo each other, so that they end', async () => {
    const flip = (from: string, to: string) => ({
      rules: [{ condition: `resource.acl == "${from}"`, effect: 'DENY' }],
      remediation_action: `patch:{"acl":"${to}"}`,
      auto_remediation: true,
    });
    const left = await inventory.createPolicy('left', flip('public-read', 'authenticated-read'));
    const right = await inventory.createPolicy('right', flip('authenticated-read', 'public-read'));
    for (const id of ['x', 'y', 'z']) await inventory.put(id, { acl: 'public-read' });
    for (let at = 0; at < 50; at++) await settle(at < 10 ? 1_000 : hour);
    const count = (await list()).length;
    expect(count).toBeLessThan(6);
    const problems = [await policyOf(left), await policyOf(right)].map(
      ({ remediation_problem: problem }) => problem?.stopped ?? false,
    );
    expect(problems).toContain(true);
    for (let at = 0; at < 5; at++) await settle(day);
    expect(await list()).toHaveLength(count);
    expect(await countRows(service.deps.store, queue)).toBe(0);
  });
});
