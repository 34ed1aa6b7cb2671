import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/project/plan/plan.ts';
import { documentOf } from '../../../src/project/kinds/kind.ts';
import { policyKind } from '../../../src/project/kinds/policy.ts';
import { baseOf } from '../../../src/project/plan/change.ts';
import { digestPlan } from '../../../src/project/plan/plan.ts';
import { readPlanFile } from '../../../src/project/plan/plan-file.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { makeLocal } from '../arbitraries.ts';
import { applyNow, clientOf, planNow } from './steps.ts';

/** A plan that deletes the one policy of project acme, and somebody else's policy beside it. */
async function deletion(tags: string[] = []) {
  const service = createMinimalService();
  const client = clientOf(service.fetch);
  await applyNow(client, (await planNow(client, [makeLocal('mine', { name: 'mine' })])).plan);
  const { plan } = await planNow(client, [], { prune: true });
  const other = service.put({
    name: 'theirs',
    resource_type: 'AWS::S3::Bucket',
    rules: [{ condition: 'true', effect: 'DENY' }],
    tags,
  });
  return { service, client, plan, other };
}

const resealed = (plan: Plan, edit: (change: Plan['changes'][number]) => object): Plan => {
  const edited = { ...plan, changes: plan.changes.map((one) => ({ ...one, ...edit(one) })) };
  return { ...edited, digest: digestPlan(edited) };
};

describe('a plan that was edited and given a new digest', () => {
  it.each([
    ['belongs to another project', ['govctl.owner:other', 'govctl.key:theirs@000000000000']],
    ['belongs to no project', []],
    ['carries the tags of two owners', ['govctl.owner:other', 'govctl.owner:acme']],
    ['is protected', ['govctl.owner:acme', 'govctl.key:theirs@000000000000', 'govctl.protect']],
  ])('does not delete a policy that %s', async (_, tags) => {
    const { service, client, other } = await deletion(tags);
    const { plan } = await planNow(client, [], { prune: true });
    // As its forger would: the true state of the victim, so that nothing looks changed since.
    const forged = resealed(plan, () => ({
      id: other.id,
      base: baseOf(policyKind, other),
      before: documentOf(policyKind, other),
    }));
    await expect(
      applyNow(client, { ...forged, changes: forged.changes.slice(0, 1) }),
    ).rejects.toThrow(/nothing was written/);
    expect(service.policies.has(other.id)).toBe(true);
  });

  it.each(['..', '.'])('never turns the id %s into another path', async (id) => {
    const { service, client, plan } = await deletion();
    const before = service.requests.length;
    await expect(
      applyNow(
        client,
        resealed(plan, () => ({ id })),
      ),
    ).rejects.toThrow(/is not a valid id/);
    expect(service.requests.slice(before).map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['a deletion without an id', { id: null }],
    [
      'a deletion that leaves something',
      { after: { name: 'x', resource_type: 'A::B', rules: [] } },
    ],
    ['a creation of something that is there', { action: 'create' }],
    ['an update without what was there', { action: 'update', before: null }],
  ])('is no plan with %s', async (_, edit) => {
    const { plan } = await deletion();
    const folder = makeRepo({ 'plan.json': JSON.stringify(resealed(plan, () => edit)) });
    await expect(readPlanFile(`${folder}/plan.json`)).rejects.toThrow(/is not a saved plan/);
  });

  it.each([
    ['that never expires', { expires_at: 'never' }],
    ['for an address that is none', { base_url: 'file:///etc' }],
  ])('is no plan %s', async (_, edit) => {
    const { plan } = await deletion();
    const edited = { ...plan, ...edit };
    const sealed = { ...edited, digest: digestPlan(edited) };
    const folder = makeRepo({ 'plan.json': JSON.stringify(sealed) });
    await expect(readPlanFile(`${folder}/plan.json`)).rejects.toThrow(/is not a saved plan/);
  });

  it('is no plan when it changes one policy twice', async () => {
    const { plan } = await deletion();
    const edited = { ...plan, changes: [...plan.changes, ...plan.changes] };
    const sealed = { ...edited, digest: digestPlan(edited) };
    const folder = makeRepo({ 'plan.json': JSON.stringify(sealed) });
    await expect(readPlanFile(`${folder}/plan.json`)).rejects.toThrow(/the same policy/);
  });
});
