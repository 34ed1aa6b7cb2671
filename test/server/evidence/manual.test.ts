import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../inventory-service.ts';
import { idsOf } from '../store/blob-contract.ts';
import type { TestService } from '../test-service.ts';
import { fieldsOf } from '../test-service.ts';
import {
  attach,
  bundleOf,
  bytesOf,
  collected,
  fill,
  idOf,
  itemsOf,
  manualPath,
  startEvidence,
  textsOf,
} from './evidence-world.ts';

const day = 86_400_000;
let service: TestService;
beforeEach(async () => {
  service = await startEvidence();
});
afterEach(() => service.close());

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const statusOf = async (control: string) => {
  const got = await service.send('GET', `/v1/compliance/frameworks/soc2?control=${control}`);
  return (got.json.controls as { status: string; manual?: unknown }[])[0];
};

describe('evidence that a person attaches', () => {
  it('makes a control manual until it expires, or is deleted', async () => {
    const got = await attach(service, { control: 'soc2:cc1.1' });
    const id = idOf(got);
    expect([got.status, got.headers.get('location')]).toEqual([201, `${manualPath}/${id}`]);
    expect(got.json).toMatchObject({
      framework: 'soc2',
      control_id: 'CC1.1',
      expires: '2026-12-31',
    });
    expect(await statusOf('CC1.1')).toMatchObject({
      status: 'manual',
      manual: { evidence_id: id, expires: expect.stringContaining('2026-12-31') as string },
    });
    expect(await statusOf('CC1.2')).toMatchObject({ status: 'not_evaluated' });
    service.advance(Date.parse('2026-12-31T23:00:00Z') - service.deps.clock.now());
    expect(await statusOf('CC1.1')).toMatchObject({ status: 'manual' });
    service.advance(2 * 3_600_000);
    expect(await statusOf('CC1.1')).toMatchObject({ status: 'not_evaluated' });

    const other = idOf(await attach(service, { expires: '2027-12-31' }));
    expect(await statusOf('CC1.1')).toMatchObject({ status: 'manual' });
    const headers = { 'if-match': '"0"' };
    const stale = await service.send('DELETE', `${manualPath}/${other}`, { headers });
    expect([stale.status, stale.json.error]).toEqual([412, 'precondition_failed']);
    expect((await service.send('DELETE', `${manualPath}/${other}`)).status).toBe(204);
    expect(await statusOf('CC1.1')).toMatchObject({ status: 'not_evaluated' });
  });

  it('never covers a control that fails', async () => {
    await fill(service);
    idOf(await attach(service, { control: 'SOC2:CC6.1' }));
    expect(await statusOf('CC6.1')).toMatchObject({ status: 'FAILED' });
  });

  it('has a file of at most 10 MiB, which comes back byte for byte and is in the bundle', async () => {
    await fill(service);
    const bytes = Buffer.alloc(10 * 1024 * 1024, 'bytes of a PDF ');
    const content = bytes.toString('base64');
    const file = { name: 'política.pdf', media_type: 'application/pdf', content };
    const got = await attach(service, { text: undefined, file });
    const id = idOf(got);
    const shown = { name: 'política.pdf', media_type: 'application/pdf', size: bytes.length };
    expect(got.json.file).toEqual({ ...shown, sha256: sha256(bytes) });
    const sent = await bytesOf(service, `${manualPath}/${id}/file`);
    expect(sent.bytes.equals(bytes)).toBe(true);
    expect(sent.headers.get('content-type')).toBe('application/pdf');
    expect(sent.headers.get('content-disposition')).toContain('attachment');
    expect(sent.headers.get('x-content-type-options')).toBe('nosniff');
    const bundle = await bundleOf(service, await collected(service));
    expect(bundle.includes(bytes)).toBe(true);
    expect(textsOf(bundle).size).toBeGreaterThan(4);

    const larger = { ...file, content: Buffer.alloc(bytes.length + 1).toString('base64') };
    const refused = await attach(service, { file: larger });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['file.content']]);
    expect(refused.text).toContain('is larger than 10 MiB');
    expect((await service.send('DELETE', `${manualPath}/${id}`)).status).toBe(204);
    expect((await idsOf(service.deps.store.blobs)).filter((blob) => blob.includes(id))).toEqual([]);
    // What was collected of it stays.
    expect((await service.send('GET', `${manualPath}/${id}/file`)).status).toBe(404);
  });

  it('is attached once, and its file stored once, where a request is sent again', async () => {
    const file = { name: 'a.txt', content: 'YWJj' };
    const headers = { 'idempotency-key': 'once' };
    const first = await attach(service, { file }, { headers });
    const again = await attach(service, { file }, { headers });
    expect(idOf(again)).toBe(idOf(first));
    expect(await idsOf(service.deps.store.blobs)).toHaveLength(1);
    expect((await service.send('GET', manualPath)).json.pagination).toMatchObject({ total: 1 });
  });

  it('is refused with what is wrong with it', async () => {
    const wrong = async (fields: object) => {
      const got = await attach(service, fields);
      return [got.status, ...fieldsOf(got)];
    };
    expect(await wrong({ text: undefined })).toEqual([400, 'text']);
    expect(await wrong({ control: 'CC1.1' })).toEqual([400, 'control']);
    expect(await wrong({ expires: '2026-02-28' })).toEqual([400, 'expires']);
    expect(await wrong({ expires: '2029-12-31' })).toEqual([400, 'expires']);
    expect(await wrong({ expires: 'soon' })).toEqual([400, 'expires']);
    const file = { name: 'a.txt', content: 'not base64!' };
    expect(await wrong({ file })).toEqual([400, 'file.content']);
    const typed = { name: 'a.txt', media_type: 'text/html; x', content: 'YWJj' };
    expect(await wrong({ file: typed })).toEqual([400, 'file.media_type']);
    expect(await wrong({ control: 'SOC3:CC1.1' })).toEqual([404]);
    const unknown = await attach(service, { control: 'SOC2:CC1.9' });
    expect([unknown.status, unknown.json.error]).toEqual([404, 'control_not_found']);
    expect(unknown.text).toContain('Did you mean CC1.');
    expect(await idsOf(service.deps.store.blobs)).toEqual([]);
    expect((await service.send('GET', manualPath)).json.manual).toEqual([]);
  });

  it('is listed by framework and control, and read one by one', async () => {
    const ids = [
      idOf(await attach(service)),
      idOf(await attach(service, { control: 'pci:8.3.1' })),
    ];
    const list = async (query: string) => {
      const got = await service.send('GET', `${manualPath}?${query}`);
      return (got.json.manual as { id: string }[]).map(({ id }) => id);
    };
    expect((await list('')).toSorted()).toEqual(ids.toSorted());
    expect(await list('framework=SOC2')).toEqual([ids[0]]);
    expect(await list('control=PCI-DSS:8.3.1')).toEqual([ids[1]]);
    expect((await service.send('GET', `${manualPath}?control=8.3.1`)).status).toBe(400);
    expect((await service.send('GET', `${manualPath}/${ids[0]}`)).json).toMatchObject({
      text: 'Signed by all.',
    });
    const noFile = await service.send('GET', `${manualPath}/${ids[0]}/file`);
    expect([noFile.status, noFile.text]).toEqual([404, expect.stringContaining('has no file')]);
  });

  it('is removed 400 days after it expired, with its file', async () => {
    const file = { name: 'a.txt', content: 'YWJj' };
    const id = idOf(await attach(service, { file, expires: '2026-03-31' }));
    service.advance(Date.parse('2026-03-31T00:00:00Z') - service.deps.clock.now() + 399 * day);
    await service.maintain();
    expect((await service.send('GET', `${manualPath}/${id}`)).status).toBe(200);
    service.advance(3 * day);
    await service.maintain();
    expect((await service.send('GET', `${manualPath}/${id}`)).status).toBe(404);
    expect(await idsOf(service.deps.store.blobs)).toEqual([]);
  });
});

describe('the list of evidence', () => {
  it('says of each control what each source knows, the same as long as it is the same', async () => {
    const policy = await fill(service);
    await inventoryOf(service).exempt({ policy: 'p', resources: ['fine'] });
    idOf(await attach(service, { control: 'SOC2:CC6.1' }));
    const items = await itemsOf(service, 'control=SOC2:CC6.1');
    expect(items.map(({ source, summary }) => [source, summary])).toEqual([
      ['policies', '1 policy'],
      ['tallies', '2 evaluations: 1 pass, 1 fail, 0 errors, 0 exempt'],
      ['samples', expect.stringMatching(/^1 sample of passing resources in scan_/)],
      ['violations', '1 open violation, 0 resolved'],
      ['exemptions', '1 active exemption'],
      ['changes', '2 changes'],
      ['manual', 'Signed by all.'],
    ]);
    expect(items[0]?.data).toMatchObject({ policies: [{ id: policy, name: 'p' }] });
    expect(items[2]?.data).toMatchObject({
      samples: [{ policy_id: policy, resource_id: 'fine', values: { 'resource.public': false } }],
    });
    const hashes = (of: typeof items) => of.map(({ id, sha256: hash }) => [id, hash]);
    service.advance(60_000);
    expect(hashes(await itemsOf(service, 'control=SOC2:CC6.1'))).toEqual(hashes(items));
    await inventoryOf(service).put('fine', { public: true });
    const changed = await itemsOf(service, 'framework=soc2&control=CC6.1&source=policies,tallies');
    expect(changed.map(({ sha256: hash }, at) => hash === items[at]?.sha256)).toEqual([
      true,
      false,
    ]);
  });

  it('says when a policy of the control was disabled, also its only one, and when it was exempted, also once that is over', async () => {
    const policy = await fill(service);
    const inventory = inventoryOf(service);
    const other = await inventory.createPolicy('other', { compliance_frameworks: ['SOC2:CC6.2'] });
    const exemption = await inventory.exempt({ policy: 'p', resources: ['fine'] });
    await inventory.exempt({ policy: 'other', resources: ['fine'] });
    const ended = { body: { expires: '2020-01-01' } };
    await inventory.ok('PUT', `/v1/exemptions/${exemption}`, ended);
    await inventory.ok('PUT', `/v1/policies/${policy}`, { body: { enabled: false } });
    const items = await itemsOf(service, 'control=SOC2:CC6.1');
    expect(items.map(({ source, summary }) => [source, summary])).toEqual([
      ['changes', '4 changes'],
    ]);
    expect(items[0]?.data).toMatchObject({
      changes: [
        { action: 'policy.create', subject: policy },
        { action: 'exemption.create', subject: exemption },
        { action: 'exemption.update', subject: exemption },
        { action: 'policy.update', subject: policy, changes: ['enabled'] },
      ],
    });
    const [others] = await itemsOf(service, 'control=SOC2:CC6.2&source=changes');
    expect(others?.data).toMatchObject({ changes: [{ subject: other }, {}] });
  });

  it('has pages over all controls of a framework', async () => {
    await fill(service);
    const all = await itemsOf(service, 'framework=soc2&limit=100');
    const pages = [0, 2, 4].map((offset) =>
      itemsOf(service, `framework=soc2&limit=2&offset=${offset}`),
    );
    expect((await Promise.all(pages)).flat()).toEqual(all);
  });

  it('needs a framework, or a control with its framework', async () => {
    for (const query of ['', 'control=CC6.1']) {
      const got = await service.send('GET', `/v1/compliance/evidence?${query}`);
      expect([query, got.status, got.json.error]).toEqual([query, 400, 'invalid_evidence']);
      expect(got.text).toContain('SOC2:CC6.1');
    }
  });
});
