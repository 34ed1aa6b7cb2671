import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/contract/policies.ts';
import type { Remediation } from '../../../src/contract/remediations.ts';
import type { RemediationConfig } from '../../../src/server/config/config.ts';
import { fingerprintOf } from '../../../src/server/remediation/fingerprint.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';
import { scriptFolder } from './scripts.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
let scripts: ReturnType<typeof scriptFolder>;
beforeEach(() => void (scripts = scriptFolder()));
afterEach(async () => {
  await service.close();
  scripts.remove();
});

const off = { versioning: { enabled: false } };
const rules = [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }];
const fixed = JSON.stringify({ id: 'a', type: 'AWS::S3::Bucket', versioning: { enabled: true } });

async function start(remediation: RemediationConfig): Promise<void> {
  const fix = scripts.command(`cat >/dev/null; echo run >>runs; echo '${fixed}'`);
  service = await startTestService({ config: { remediation: { commands: { fix }, ...remediation } } }); // prettier-ignore
  inventory = inventoryOf(service);
}

const settle = async (): Promise<void> => {
  await service.evaluator.run();
  await service.remediate();
};
const list = async (): Promise<Remediation[]> =>
  (await inventory.ok('GET', '/v1/compliance/remediate?automatic=true')).json
    .remediations as Remediation[];
const runs = (): string => scripts.read('runs');

/** A policy that asks for a command, on a server whose operator has listed it. */
async function startListed(config: RemediationConfig = {}): Promise<Policy> {
  await start({ auto: 'off' });
  const id = await inventory.createPolicy('v', {
    rules,
    remediation_action: 'exec:fix',
    auto_remediation: true,
  });
  const policy = (await inventory.ok('GET', `/v1/policies/${id}`)).json as Policy;
  const { text } = await service.send('GET', '/v1/local/snapshot');
  await service.close();
  await start({ ...config, auto_commands: [`${id}@${fingerprintOf(policy)}`] });
  const headers = { 'content-type': 'application/x-ndjson' };
  await inventory.ok('POST', '/v1/local/restore?clock=snapshot', { text, headers });
  return policy;
}

describe('an automatic remediation by a command', () => {
  it('waits for approval, even where others do not', async () => {
    await start({});
    await inventory.createPolicy('v', {
      rules,
      remediation_action: 'exec:fix',
      auto_remediation: true,
    });
    await inventory.put('a', off);
    await settle();
    const [plan] = await list();
    expect(plan).toMatchObject({ status: 'planned', requires_approval: 'approval' });
    expect(runs()).toBe('');
    const { id = '', digest = '' } = plan ?? {};
    await inventory.ok('POST', `/v1/compliance/remediate/${id}/approve`, { body: { digest } });
    await settle();
    expect(await list()).toMatchObject([{ status: 'completed' }]);
    expect(runs()).toBe('run\n');
  });

  it('also where a patch is carried out by one', async () => {
    await start({ executors: { '*': 'exec:fix' } });
    await inventory.createPolicy('v', {
      rules,
      remediation_action: 'patch:{"versioning":{"enabled":true}}',
      auto_remediation: true,
    });
    await inventory.put('a', off);
    await settle();
    expect(await list()).toMatchObject([{ status: 'planned', requires_approval: 'approval' }]);
    expect(runs()).toBe('');
  });

  it('is carried out by itself where the operator has listed the policy as it is', async () => {
    await startListed({ approval: 'four_eyes' });
    await inventory.put('a', off);
    await settle();
    expect(runs()).toBe('run\n');
    expect(await list()).toMatchObject([{ status: 'completed', requires_approval: 'none' }]);
  });

  it.each([
    ['rules', { rules: [{ condition: 'resource.versioning.enabled != true', effect: 'DENY' }] }],
    ['type', { resource_type: 'AWS::S3::*' }],
    ['action', { remediation_action: 'notify:{"after_days":1,"then":"exec:fix"}' }],
  ])('is not any more once other %s are given', async (_, change) => {
    const { id } = await startListed({ approval: 'four_eyes' });
    await inventory.changePolicy(id, change);
    await settle();
    await inventory.put('a', off);
    service.advance(86_400_000);
    await settle();
    expect(await list()).toMatchObject([{ status: 'planned', requires_approval: 'four_eyes' }]);
    expect(runs()).toBe('');
  });

  it('is not where remediation.auto is plan', async () => {
    await startListed({ auto: 'plan' });
    await inventory.put('a', off);
    await settle();
    expect(await list()).toMatchObject([{ status: 'planned', requires_approval: 'approval' }]);
    expect(runs()).toBe('');
  });
});

describe('what an automatic remediation leaves', () => {
  it('entries of the audit log by system, events, a share of the automation level, and its place in lists', async () => {
    await start({});
    const policy = await inventory.createPolicy('v', {
      rules,
      remediation_action: 'patch:{"versioning":{"enabled":true}}',
      auto_remediation: true,
    });
    await inventory.put('a', off);
    await settle();
    const [made] = await list();
    const byHand = (await inventory.ok('GET', '/v1/compliance/remediate?automatic=false')).json;
    expect(byHand.remediations).toEqual([]);
    const { governance_overview: overview } = (await inventory.ok('GET', '/v1/governance/overview'))
      .json;
    expect(overview).toMatchObject({ automation_level: 100 });
    const resolved = (await inventory.ok('GET', '/v1/events?type=policy.violation.resolved')).json;
    expect(resolved.events).toMatchObject([{ data: { violation: { remediation_id: made?.id } } }]);
    await inventory.put('a', off);
    await settle();
    const { audit_log: entries } = (await inventory.ok('GET', '/v1/audit-log?limit=100')).json as {
      audit_log: { actor: string; action: string; subject: string; via: string }[];
    };
    const own = entries.filter(({ actor, action }) => actor === 'system' && !/key/.test(action));
    expect(own.map(({ action, subject, via }) => [action, subject, via]).reverse()).toEqual([
      ['remediation.create', made?.id, 'auto_remediation'],
      ['remediation.attempt', 'a', made?.id],
      ['resource.update', 'a', made?.id],
      ['remediation.stop', policy, 'auto_remediation'],
    ]);
  });
});
