import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RemediationWithActions } from '../../../src/contract/remediations.ts';
import { applyPatch, undoOf } from '../../../src/engine/remediation/patch.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { Got, TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const path = '/v1/compliance/remediate';
const open = { versioning: { enabled: false }, acl: 'public-read' };

/** Two policies with a patch each, and buckets that fail both, remediated. */
async function remediated(...ids: string[]): Promise<string> {
  await inventory.createPolicy('versioning', {
    rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
    remediation_action: 'patch:{"versioning":{"enabled":true}}',
  });
  await inventory.createPolicy('acl', {
    rules: [{ condition: 'resource.acl != "private"', effect: 'DENY' }],
    remediation_action: 'patch:{"acl":"private"}',
  });
  for (const id of ids) await inventory.put(id, open);
  const body = { filter: { resource_type: ['AWS::S3::Bucket'] }, dry_run: false };
  const { id } = (await inventory.ok('POST', path, { body })).json as { id: string };
  await service.remediate();
  expect(await inventory.violations('status=OPEN')).toHaveLength(0);
  return id;
}

const ask = (id: string, body: object = {}): Promise<Got> =>
  service.send('POST', `${path}/${id}/rollback`, { body });
async function rollBack(id: string): Promise<RemediationWithActions> {
  const begun = (await ask(id, { dry_run: false })).json as RemediationWithActions;
  await service.remediate();
  return (await inventory.ok('GET', `${path}/${begun.id}`)).json as RemediationWithActions;
}
const resource = async (id: string): Promise<object> =>
  (await inventory.ok('GET', `/v1/resources/${id}`)).json;

describe('a rollback', () => {
  it('shows what it would take back, the last change first, and changes nothing in a dry run', async () => {
    const id = await remediated('a');
    const { json } = await ask(id);
    expect(json).toMatchObject({
      status: 'planned',
      dry_run: true,
      rolls_back: id,
      blast: { resources: 1 },
      counts: { planned: 2 },
    });
    const { actions } = json as unknown as RemediationWithActions;
    expect(actions.map(({ changes }) => changes)).toEqual([
      [{ path: 'acl', before: 'private', after: 'public-read' }],
      [{ path: 'versioning.enabled', before: true, after: false }],
    ]);
    expect(await resource('a')).toMatchObject({ acl: 'private', versioning: { enabled: true } });
  });

  it('puts each attribute back, and the violations are open again', async () => {
    const id = await remediated('a', 'b');
    expect(await rollBack(id)).toMatchObject({ status: 'completed', counts: { completed: 4 } });
    expect(await resource('a')).toMatchObject(open);
    expect(await resource('b')).toMatchObject(open);
    expect(await inventory.violations('status=OPEN')).toHaveLength(4);
  });

  it('leaves what was changed since as it is, and skips what is gone, with the reason', async () => {
    const id = await remediated('a', 'b', 'c');
    await inventory.put('a', { versioning: { enabled: true }, acl: 'authenticated-read' });
    await inventory.put('b', { versioning: { enabled: true }, acl: 'private', owner: 'new' });
    await inventory.ok('DELETE', '/v1/resources/c');
    const done = await rollBack(id);
    expect(done.actions.map((one) => [one.resource_id, one.policy_name, one.why])).toEqual([
      ['c', 'acl', 'the resource was deleted'],
      ['c', 'versioning', 'the resource was deleted'],
      ['b', 'acl', undefined],
      ['b', 'versioning', undefined],
      ['a', 'acl', 'acl has changed since the remediation'],
      ['a', 'versioning', undefined],
    ]);
    expect(await resource('a')).toMatchObject({ ...open, acl: 'authenticated-read' });
    expect(await resource('b')).toMatchObject({ ...open, owner: 'new' });
  });

  it('is carried out only as it was shown, and once', async () => {
    const id = await remediated('a');
    const { digest } = (await ask(id)).json;
    await inventory.put('a', { versioning: { enabled: true }, acl: 'private', owner: 'new' });
    const stale = await ask(id, { dry_run: false, expected_digest: digest });
    expect([stale.status, stale.json.error]).toEqual([409, 'remediation_state']);
    expect(await rollBack(id)).toMatchObject({ status: 'completed' });
    const again = await ask(id, { dry_run: false });
    expect([again.status, again.json.error_description]).toEqual([
      400,
      'Nothing to remediate: acl has changed since the remediation',
    ]);
  });

  it('is refused for a dry run, for what has not ended, for what changed nothing and for nothing', async () => {
    const id = await remediated('a');
    const dry = (await ask(id)).json.id as string;
    expect((await ask(dry)).json.error).toBe('remediation_state');
    await inventory.put('b', open);
    const body = { policy_id: 'acl', dry_run: false };
    const begun = (await inventory.ok('POST', path, { body })).json.id as string;
    expect((await ask(begun)).json.error).toBe('remediation_state');
    await inventory.ok('POST', `${path}/${begun}/cancel`, { body: {} });
    expect((await ask(begun)).json.error).toBe('invalid_remediation');
    expect((await ask('rem_none')).json.error).toBe('remediation_not_found');
  });

  it('keeps to the guards, and can itself be rolled back', async () => {
    const id = await remediated('a');
    const back = await rollBack(id);
    expect(await rollBack(back.id)).toMatchObject({ status: 'completed' });
    expect(await resource('a')).toMatchObject({ acl: 'private', versioning: { enabled: true } });
    await inventory.put('a', {
      versioning: { enabled: true },
      acl: 'private',
      tags: { 'govctl.protect': 'yes' },
    });
    expect((await ask(id)).json.error).toBe('remediation_guard');
  });

  it('of what waits to be verified ends the wait', async () => {
    await inventory.createPolicy('sized', {
      rules: [
        { condition: 'resource.acl != "private"', effect: 'DENY' },
        { condition: 'resource.acl == "private" && resource.missing > 3', effect: 'DENY' },
      ],
      remediation_action: 'patch:{"acl":"private"}',
    });
    await inventory.put('a', open);
    const body = { policy_id: 'sized', dry_run: false };
    const { id } = (await inventory.ok('POST', path, { body })).json as { id: string };
    await service.remediate();
    expect(await rollBack(id)).toMatchObject({ status: 'completed' });
    expect((await inventory.ok('GET', `${path}/${id}`)).json).toMatchObject({
      status: 'failed',
      actions: [{ status: 'failed', why: 'the remediation was rolled back' }],
    });
  });
});

it('what a patch made is undone exactly, whatever the patch and what it met', () => {
  const objects = (...more: fc.Arbitrary<unknown>[]): fc.Arbitrary<Record<string, unknown>> =>
    fc.letrec<{ any: unknown; object: Record<string, unknown> }>((tie) => ({
      object: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('any'), { maxKeys: 3 }),
      any: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(fc.boolean(), fc.integer(), fc.string(), fc.array(fc.integer()), ...more),
        tie('object'),
      ),
    })).object;
  fc.assert(
    fc.property(objects(), objects(fc.constant(null)), (before, patch) => {
      const after = applyPatch(before, patch);
      expect(applyPatch(after, undoOf(before, patch))).toEqual(applyPatch(before, {}));
    }),
  );
});
