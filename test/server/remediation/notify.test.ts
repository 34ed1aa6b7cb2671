import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Remediation } from '../../../src/contract/remediations.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { fieldsOf, policy, startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const day = 86_400_000;
const rules = [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }];
const off = { versioning: { enabled: false } };
const then = 'patch:{"versioning":{"enabled":true}}';
const notifying = (after: object) => ({
  rules,
  auto_remediation: true,
  remediation_action: `notify:${JSON.stringify(after)}`,
});

const settle = async (ms = 0): Promise<void> => {
  service.advance(ms);
  await service.evaluator.run();
  await service.remediate();
};
const list = async (): Promise<Remediation[]> =>
  (await inventory.ok('GET', '/v1/compliance/remediate')).json.remediations as Remediation[];
const told = async (): Promise<number> =>
  (
    (await inventory.ok('GET', '/v1/events?type=policy.violation.detected')).json
      .events as unknown[]
  ).length;
const open = async (): Promise<number> => (await inventory.violations('status=OPEN')).length;

describe('notify with after_days', () => {
  it('acts so many days after a violation was detected, if it is open still', async () => {
    await inventory.createPolicy('v', notifying({ after_days: 7, then }));
    await inventory.put('a', off);
    await settle(3 * day);
    await inventory.put('b', off);
    await settle(4 * day - 1);
    expect(await list()).toEqual([]);
    expect(await told()).toBe(2);
    await settle(1);
    expect(await list()).toMatchObject([{ automatic: true, counts: { completed: 1 } }]);
    expect(await inventory.violations('status=OPEN')).toMatchObject([{ resource_id: 'b' }]);
    await settle(3 * day);
    expect(await open()).toBe(0);
  });

  it('does nothing about what was resolved or exempted meanwhile, and counts anew once it is detected again', async () => {
    await inventory.createPolicy('v', notifying({ after_days: 7, then }));
    await inventory.put('a', off);
    await inventory.put('b', off);
    await settle(3 * day);
    await inventory.put('a', { versioning: { enabled: true } });
    await inventory.exempt({ policy: 'v', resources: ['b'] });
    await settle(day);
    await inventory.put('a', off);
    await settle(3 * day);
    expect(await list()).toEqual([]);
    await settle(4 * day);
    expect(await list()).toMatchObject([{ counts: { completed: 1 } }]);
    expect(await open()).toBe(0);
  });

  it('counts from the day on which it was turned on, for what was open before', async () => {
    const id = await inventory.createPolicy('v', { rules, remediation_action: 'notify' });
    await inventory.put('a', off);
    await settle(30 * day);
    await inventory.changePolicy(id, notifying({ after_days: 7, then }));
    await settle();
    await settle(6 * day);
    expect(await list()).toEqual([]);
    await settle(day);
    expect(await open()).toBe(0);
  });

  it('without then notifies again', async () => {
    await inventory.createPolicy('v', notifying({ after_days: 1 }));
    await inventory.put('a', off);
    await settle(day);
    expect(await told()).toBe(2);
    expect(await list()).toMatchObject([{ status: 'completed' }]);
    await settle(30 * day);
    expect(await told()).toBe(2);
    expect(await open()).toBe(1);
  });

  it('acts at once by hand', async () => {
    const id = await inventory.createPolicy('v', {
      ...notifying({ after_days: 7, then }),
      auto_remediation: false,
    });
    await inventory.put('a', off);
    await settle(30 * day);
    expect(await list()).toEqual([]);
    const body = { policy_id: id, dry_run: false };
    await inventory.ok('POST', '/v1/compliance/remediate', { body });
    await settle();
    expect(await open()).toBe(0);
  });

  it.each([
    ['no JSON', 'notify:soon'],
    ['no days', 'notify:{}'],
    ['too many days', 'notify:{"after_days":366}'],
    ['half a day', 'notify:{"after_days":0.5}'],
    ['another field', 'notify:{"after_days":7,"than":"exec:x"}'],
    ['nothing that it knows as then', 'notify:{"after_days":7,"then":"notify"}'],
    [
      'a patch that changes nothing that is read',
      'notify:{"after_days":7,"then":"patch:{\\"acl\\":\\"private\\"}"}',
    ],
    ['a webhook without https', 'notify:{"after_days":7,"then":"webhook:http://example.com"}'],
  ])('is refused with %s', async (_, remediation_action) => {
    const got = await service.send('POST', '/v1/policies', {
      body: policy('v', { rules, remediation_action }),
    });
    expect([got.status, fieldsOf(got)]).toEqual([400, ['remediation_action']]);
  });
});

describe('notify, and what is not known', () => {
  it.each(['notify', 'open a ticket'])('under auto_remediation, %s makes no plan', async (text) => {
    await inventory.createPolicy('v', { rules, auto_remediation: true, remediation_action: text });
    await inventory.put('a', off);
    await settle(day);
    expect(await list()).toEqual([]);
    expect(await told()).toBe(1);
  });
});
