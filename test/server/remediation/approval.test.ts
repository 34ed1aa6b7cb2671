import { afterEach, describe, expect, it } from 'vitest';
import type { Approval, RemediationWithActions } from '../../../src/contract/remediations.ts';
import { personOf, refuseApproval } from '../../../src/server/remediation/approval.ts';
import type { Principal } from '../../../src/server/http/call.ts';
import type { Person } from '../../../src/server/remediation/approval.ts';
import { inventoryOf } from '../inventory-service.ts';
import { startLoginService } from '../oauth/login-service.ts';
import type { Got, TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: Omit<TestService, 'signIn'>;
let inventory: ReturnType<typeof inventoryOf>;
afterEach(() => service.close());

const path = '/v1/compliance/remediate';

const failing = {
  rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
  remediation_action: 'patch:{"versioning":{"enabled":true}}',
};

/** A remediation that was asked for where it needs approval. */
async function asked(approval: Approval): Promise<RemediationWithActions> {
  service = await startTestService({ config: { remediation: { approval } } });
  inventory = inventoryOf(service);
  await inventory.createPolicy('versioning', failing);
  await inventory.put('a', { versioning: { enabled: false } });
  const body = { policy_id: 'versioning', dry_run: false };
  const { json } = await inventory.ok('POST', path, { body });
  await service.remediate();
  return json as unknown as RemediationWithActions;
}
const approve = (id: string, digest: string): Promise<Got> =>
  service.send('POST', `${path}/${id}/approve`, { body: { digest } });
const statusOf = async (id: string): Promise<unknown> =>
  (await inventory.ok('GET', `${path}/${id}`)).json.status;

describe('approval', () => {
  it('is needed where the configuration says so, and then the plan is carried out', async () => {
    const { id, status, digest, requires_approval } = await asked('approval');
    expect([status, requires_approval]).toEqual(['planned', 'approval']);
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
    expect((await approve(id, digest)).json).toMatchObject({
      status: 'approved',
      approved_at: '2026-03-01T12:00:00.000Z',
    });
    await service.remediate();
    expect(await statusOf(id)).toBe('completed');
    expect(await inventory.violations('status=OPEN')).toHaveLength(0);
    const again = await approve(id, digest);
    expect([again.status, again.json.error]).toEqual([409, 'remediation_state']);
  });

  it('is of the plan with the digest that was reviewed, of no dry run, and not of an expired plan', async () => {
    const { id, digest } = await asked('approval');
    expect((await approve(id, '0'.repeat(64))).json).toMatchObject({ error: 'remediation_state' });
    const dry = (await inventory.ok('POST', path, { body: { policy_id: 'versioning' } })).json;
    const refused = await approve(dry.id as string, dry.digest as string);
    expect(refused.json.error_description).toBe(`${dry.id as string} is a dry run`);
    service.advance(86_400_000);
    await service.remediate();
    expect((await approve(id, digest)).json.error_description).toBe(`${id} is already expired`);
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
  });

  it('by four eyes is refused to a key, with what to do', async () => {
    const { id, digest } = await asked('four_eyes');
    const refused = await approve(id, digest);
    expect([refused.status, refused.json.error]).toEqual([403, 'approval_refused']);
    await service.remediate();
    expect(await statusOf(id)).toBe('planned');
  });

  it('by four eyes takes another person, who has signed in', async () => {
    const remediation = await asked('four_eyes');
    const ann: Person = { id: 'ann', isInteractive: true };
    const herKey: Person = { id: 'ann', isInteractive: false };
    const ben: Person = { id: 'ben', isInteractive: true };
    const given = remediation.digest;
    const isRefused = (requester: string | undefined, approver: Person | undefined): boolean => {
      try {
        refuseApproval(remediation, { given, requester, approver });
        return false;
      } catch (error) {
        expect(error).toMatchObject({ error: 'approval_refused' });
        return true;
      }
    };
    expect(isRefused('ann', ben)).toBe(false);
    expect(isRefused('ann', ann)).toBe(true);
    expect(isRefused('ben', herKey)).toBe(true);
    expect(isRefused(undefined, ben)).toBe(true);
    expect(isRefused('ann', undefined)).toBe(true);
  });

  it('by four eyes is no matter for what acts for a person: a program, a key, a client or a CI job', () => {
    const isInteractive = (fields: Pick<Principal, 'kind' | 'program'>): unknown =>
      personOf({ person: 'ann', ...fields })?.isInteractive;
    expect(isInteractive({ kind: 'person' })).toBe(true);
    expect(isInteractive({ kind: 'person', program: 'oc_1' })).toBe(false);
    for (const kind of ['key', 'client', 'ci'] as const)
      expect(isInteractive({ kind })).toBe(false);
  });

  it('by four eyes is given by a person who is logged in, not by the one who asked, be it with a key, nor by a key', async () => {
    const config = { remediation: { approval: 'four_eyes' } } as const;
    const logins = await startLoginService({ config, isLocal: true });
    service = logins;
    inventory = inventoryOf(service);
    await inventory.createPolicy('versioning', failing);
    await inventory.put('a', { versioning: { enabled: false } });
    await logins.addUser('ben@example.com', ['editor']);
    const ada = (await logins.login()).tokens.access_token;
    const ben = (await logins.login('ben@example.com')).tokens.access_token;
    const scopes = ['governance:read', 'compliance:write'];
    const keyOf = async (by: string): Promise<string> =>
      String((await service.send('POST', '/v1/api-keys', { key: by, body: { name: 'k', scopes } })).json.key); // prettier-ignore
    const body = { policy_id: 'versioning', dry_run: false };
    for (const requester of [await keyOf(ada), ada]) {
      const { json } = await inventory.ok('POST', path, { body, key: requester });
      const { id, digest } = json as unknown as RemediationWithActions;
      const approveAs = (key: string): Promise<Got> =>
        service.send('POST', `${path}/${id}/approve`, { body: { digest }, key });
      for (const key of [ada, await keyOf(ada), await keyOf(ben), service.key]) {
        const refused = await approveAs(key);
        expect([refused.status, refused.json.error]).toEqual([403, 'approval_refused']);
      }
      expect((await approveAs(ben)).json).toMatchObject({ status: 'approved' });
      await inventory.ok('POST', `${path}/${id}/cancel`, { body: {} });
    }
  });
});
