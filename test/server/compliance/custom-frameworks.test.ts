import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FrameworkWithControls } from '../../../src/contract/frameworks.ts';
import { findControlFaults } from '../../../src/engine/frameworks/definition.ts';
import { eventsOf } from '../events/events-service.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { Sent, TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const path = '/v1/compliance/frameworks';
const finops = {
  name: 'Our FinOps rules',
  version: '3',
  controls: [
    { id: 'C1', title: 'Spend is allocated' },
    { id: 'C1.1', title: 'Everything has an owner', parent: 'C1' },
  ],
};
const put = (id: string, body: unknown, sent: Sent = {}) =>
  service.send('PUT', `${path}/${id}`, { body, ...sent });
const read = async (id: string): Promise<FrameworkWithControls> =>
  (await inventory.ok('GET', `${path}/${id}`)).json as FrameworkWithControls;
const told = async (type: string) =>
  (await eventsOf(service).fresh()).filter((one) => one.type === type).map(({ data }) => data);
const updates = async () =>
  (await told('compliance.framework.updated')).map(({ framework }) => framework);

describe('a custom framework', () => {
  it('is defined, stands as the built-in ones do, and is deleted', async () => {
    const created = await put('FinOps', finops);
    expect(created.status, created.text).toBe(201);
    expect(created.json).toMatchObject({ id: 'finops', built_in: false, ...finops });
    await inventory.createPolicy('p', { compliance_frameworks: ['FINOPS:c1.1'] });
    await inventory.put('bucket', { public: true });
    await service.evaluator.run();
    expect(await read('finops')).toMatchObject({
      id: 'finops',
      name: 'Our FinOps rules',
      version: '3',
      built_in: false,
      status: 'NON_COMPLIANT',
      policies: 1,
      controls: [
        { id: 'C1', title: 'Spend is allocated', status: 'not_evaluated' },
        { id: 'C1.1', parent: 'C1', status: 'FAILED', policies: [{ name: 'p', open: 1 }] },
      ],
    });
    const { frameworks } = (await inventory.ok('GET', path)).json as {
      frameworks: { id: string }[];
    };
    expect(frameworks.map(({ id }) => id)).toContain('finops');
    expect((await service.send('GET', '/v1/violations?framework=finops:C1.1')).json).toMatchObject({
      pagination: { total: 1 },
    });
    const evidence = await service.send('GET', '/v1/compliance/evidence?framework=finops');
    expect(evidence.status, evidence.text).toBe(200);
    expect((await service.send('DELETE', `${path}/finops`)).status).toBe(204);
    expect((await service.send('GET', `${path}/finops`)).json).toMatchObject({
      error: 'framework_not_found',
    });
    expect(await updates()).toEqual([
      { framework: 'finops', action: 'created', controls: 2 },
      expect.objectContaining({ action: 'mapped' }),
      { framework: 'finops', action: 'deleted', controls: 2 },
    ]);
    const { audit_log: entries } = (
      await service.send('GET', '/v1/audit-log?sort_by=sequence&limit=100')
    ).json as { audit_log: { action: string }[] };
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['framework.create', 'framework.delete']),
    );
  });

  it('is replaced as a whole, only in the revision that was read, and not where nothing changes', async () => {
    const etag = (await put('finops', finops)).headers.get('etag') ?? '';
    expect((await put('finops', finops)).headers.get('etag')).toBe(etag);
    const next = { ...finops, version: null, controls: [{ id: 'C2', title: 'Rates' }] };
    expect((await put('finops', next, { headers: { 'If-Match': '"99"' } })).status).toBe(412);
    const replaced = await put('finops', next, { headers: { 'If-Match': etag } });
    expect(replaced.status, replaced.text).toBe(200);
    expect(replaced.json).not.toHaveProperty('version');
    expect((await read('finops')).controls).toHaveLength(1);
    expect((await put('finops', finops, { headers: { 'If-None-Match': '*' } })).json).toMatchObject(
      { error: 'precondition_failed', error_description: 'Framework finops already exists' },
    );
    expect((await put('other', finops, { headers: { 'If-Match': '"1"' } })).status).toBe(412);
    expect(await updates()).toHaveLength(2);
  });

  it.each([
    ['two ids in other spellings', 'own', [c('a'), c('A')], 'controls[1].id', 'unique'],
    ['a missing parent', 'own', [c('a', 'b')], 'controls[0].parent', 'another control'],
    ['a control as its own parent', 'own', [c('a', 'A')], 'controls[0].parent', 'a → a'],
    [
      'a circle of parents',
      'own',
      [c('x'), c('a', 'b'), c('b', 'c'), c('c', 'a')],
      'controls[1].parent',
      'a → b → c → a',
    ],
    [
      'an unknown control of a built-in framework',
      'soc2',
      [c('CC6.11')],
      'controls[0].id',
      'did you mean CC6.1?',
    ],
    ['an id with a blank', 'a%20b', [c('a')], 'id', 'lowercase letters'],
    ['an id that climbs', '..%2f..', [c('a')], 'id', 'lowercase letters'],
    ['no control', 'own', [], 'controls', 'at least one control'],
  ])('is refused with %s', async (_, id, controls, field, message) => {
    const refused = await put(id, { name: 'Own', controls });
    expect(refused.json).toMatchObject({
      details: expect.arrayContaining([
        { field, message: expect.stringContaining(message) as string },
      ]) as unknown,
    });
    expect(refused.status).toBe(400);
    expect((await service.send('GET', '/v1/compliance/framework-definitions')).json).toMatchObject({
      frameworks: [],
    });
  });

  it('takes the scope compliance:write', async () => {
    const key = await service.keyWith('governance:read');
    expect((await put('own', finops, { key })).status).toBe(403);
  });
});

describe('reports', () => {
  it('take a framework that no policy names yet, or a control of it, once it is defined', async () => {
    const report = (framework: string) =>
      service.send('POST', '/v1/reports', {
        body: { name: 'r', type: 'compliance', framework, scope: {} },
      });
    expect((await report('finops')).status).toBe(400);
    await put('finops', finops);
    const taken = await report('finops');
    expect(taken.status, taken.text).toBe(201);
    expect((await report('FinOps:C1.1')).status).toBe(201);
    expect((await report('finops:C9')).status).toBe(400);
  });
});

describe('texts over a built-in framework', () => {
  const texts = {
    name: 'Our licensed copy',
    controls: [{ id: 'cc6.1', title: 'Our own title', description: 'And our own words.' }],
  };

  it('show wherever a control is shown, by any spelling, until they are deleted', async () => {
    const ours = (await read('soc2')).controls.find(({ id }) => id === 'CC6.1')?.title;
    expect((await put('SOC2', texts)).json).toMatchObject({ id: 'soc2', built_in: true });
    const { controls, ...framework } = await read('soc2');
    expect(framework).toMatchObject({ name: 'SOC2', built_in: true, has_texts: true });
    expect(controls).toHaveLength(61);
    expect(controls.find(({ id }) => id === 'CC6.1')).toMatchObject({
      title: 'Our own title',
      description: 'And our own words.',
    });
    expect(controls.find(({ id }) => id === 'CC6.2')?.title).not.toBe('Our own title');
    expect((await service.send('DELETE', `${path}/Soc2`)).status).toBe(204);
    expect((await read('soc2')).controls.find(({ id }) => id === 'CC6.1')?.title).toBe(ours);
    expect((await service.send('DELETE', `${path}/soc2`)).json).toMatchObject({
      error: 'framework_built_in',
    });
    expect(await updates()).toEqual([
      { framework: 'SOC2', action: 'texts_imported', controls: 1 },
      { framework: 'SOC2', action: 'texts_removed', controls: 1 },
    ]);
  });

  it('are the control_name of events', async () => {
    await put('soc2', texts);
    await inventory.createPolicy('p', {
      severity: 'CRITICAL',
      compliance_frameworks: ['SOC2:CC6.1'],
    });
    await inventory.put('bucket', { public: false });
    const scan = async () => {
      await service.send('POST', '/v1/scans', { body: {} });
      await service.evaluator.run();
    };
    await scan();
    await inventory.put('bucket', { public: true });
    await scan();
    const [changed] = await told('compliance.status.changed');
    expect(changed).toMatchObject({
      compliance: { changed_controls: [{ control_id: 'CC6.1', control_name: 'Our own title' }] },
    });
  });
});

describe('the check of controls', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'A');
  it('accepts just those whose ids differ and whose parents end at the top', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id, parent: fc.option(id, { nil: undefined }) }), { maxLength: 5 }),
        (given) => {
          const controls = given.map(({ id, parent }) => c(id, parent));
          const parents = new Map(given.map((one) => [one.id.toLowerCase(), one.parent]));
          const ends = (start: string): boolean => {
            let at: string | undefined = start;
            for (let step = 0; at !== undefined && step < 10; step++) {
              if (!parents.has(at.toLowerCase())) return false;
              at = parents.get(at.toLowerCase());
            }
            return at === undefined;
          };
          const isFine = parents.size === given.length && given.every((one) => ends(one.id));
          expect(findControlFaults('own', controls, undefined).length === 0).toBe(isFine);
        },
      ),
    );
  });

  it('takes time in proportion to the number of controls, however they are linked', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => c(`c${n}`, `c${(n + 1) % 5_000}`));
    const [fault, ...more] = findControlFaults('own', many, undefined);
    expect(more).toEqual([]);
    expect(fault?.message).toBe(
      'must not form a cycle: c0 → c1 → c2 → c3 → … → c4998 → c4999 → c0',
    );
  });
});

function c(id: string, parent?: string) {
  return { id, title: `Title of ${id}`, ...(parent === undefined ? {} : { parent }) };
}
