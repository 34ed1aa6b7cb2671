import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createEvidenceWork } from '../../../src/server/evidence/work.ts';
import { createStatementKey } from '../../../src/server/keys/statement-key.ts';
import { createLaneRunner } from '../../../src/server/lanes/runner.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { inventoryOf } from '../inventory-service.ts';
import { idsOf } from '../store/blob-contract.ts';
import type { TestService } from '../test-service.ts';
import {
  attach,
  bundleOf,
  bytesOf,
  collect,
  collected,
  fill,
  idOf,
  manualPath,
  path,
  read,
  startEvidence,
  textsOf,
  verified,
} from './evidence-world.ts';

const day = 86_400_000;
let service: TestService;
afterEach(() => service.close());

/** As a restart does: the work ends where it is, and another process begins. */
function restarted() {
  return createEvidenceWork(service.deps, {
    createRunner: createLaneRunner,
    statementKey: createStatementKey(service.deps),
  });
}

/** A store that breaks off each bundle at its last step as long as it is told to, and keeps the bytes. */
function breakingOff(breaks: () => boolean, kept: Buffer[]) {
  return (store: Store): Store => ({
    ...store,
    blobs: {
      ...store.blobs,
      async create(id) {
        const writer = await store.blobs.create(id);
        if (!id.endsWith('.zip') || !breaks()) return writer;
        const chunks: Uint8Array[] = [];
        return {
          write(chunk) {
            chunks.push(Uint8Array.from(chunk));
            return writer.write(chunk);
          },
          finish() {
            kept.push(Buffer.concat(chunks));
            return Promise.reject(new Error('the power failed'));
          },
          abandon: () => writer.abandon(),
        };
      },
    },
  });
}

describe('a bundle of evidence', () => {
  it('is deleted with its file, also while it is built, and the audit log says who did', async () => {
    let broken = true;
    service = await startEvidence({ wrapStore: breakingOff(() => broken, []) });
    await fill(service);
    const building = idOf(await collect(service));
    await service.evidenceWork.idle();
    const remove = (id: string, headers = {}) =>
      service.send('DELETE', `${path}/${id}`, { headers });
    expect((await remove(building)).status).toBe(204);
    broken = false;
    service.advance(3_600_000);
    await service.evidenceWork.idle();
    const id = await collected(service);
    expect((await remove(id, { 'if-match': '"other"' })).status).toBe(412);
    expect((await remove(id)).status).toBe(204);
    for (const at of [`${path}/${id}`, `${path}/${id}/bundle`, `${path}/${building}`]) {
      expect((await service.send('GET', at)).json.error).toBe('evidence_not_found');
    }
    expect(await idsOf(service.deps.store.blobs)).toEqual([]);
    const { json } = await service.send('GET', '/v1/audit-log?action=evidence.delete');
    expect((json.audit_log as { subject: string }[]).map(({ subject }) => subject)).toEqual([
      id,
      building,
    ]);
  });

  it('is of the moment that the request fixed, and is valid and signed by this server', async () => {
    service = await startEvidence();
    const policy = await fill(service);
    const got = await collect(service, { name: 'For the auditor' });
    const scans = (await service.send('GET', '/v1/scans')).json.scans as { id: string }[];
    const head = (await service.send('GET', '/v1/audit-log/head')).json.head as object;
    const id = idOf(got);
    expect([got.status, got.headers.get('location')]).toEqual([202, `${path}/${id}`]);
    expect(got.json).toMatchObject({
      name: 'For the auditor',
      framework: 'soc2',
      status: 'building',
      since: '2025-12-01T12:00:00.000Z',
      cut: { at: '2026-03-01T12:00:00.000Z', scan_id: scans[0]?.id },
    });
    const { audit_sequence: sequence, audit_hash: hash } = got.json.cut as Record<string, unknown>;
    expect(head).toMatchObject({ sequence, hash });

    await service.evidenceWork.idle();
    const bytes = await bundleOf(service, id);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await read(service, id)).toMatchObject({
      status: 'completed',
      bundle: { size: bytes.length, sha256, key_id: expect.stringMatching(/^\S+$/) },
    });
    expect(await verified(service, bytes)).toMatchObject({
      verdict: 'valid',
      signer: 'known',
      summary: { controls: 61, policies: 1, local: true },
    });
    const said = [...textsOf(bytes).values()].join('\n');
    for (const fact of [policy, '"open"', '"fine"', '"resource.public": false', 'policy.create']) {
      expect(said).toContain(fact);
    }
    expect(said).not.toContain(service.key);
  });

  it('is of some controls alone where it was asked for so', async () => {
    service = await startEvidence();
    await fill(service);
    const id = await collected(service, { framework: 'SOC-2', controls: ['cc1.1', 'CC6.1'] });
    expect(await read(service, id)).toMatchObject({ controls: ['CC1.1', 'CC6.1'] });
    expect(await verified(service, await bundleOf(service, id))).toMatchObject({
      summary: { controls: 2 },
    });
  });

  it('keeps its bytes, and answers parts of them', async () => {
    service = await startEvidence();
    await fill(service);
    const id = await collected(service);
    const whole = await bundleOf(service, id);
    await inventoryOf(service).put('fine', { public: true });
    service.advance(30 * day);
    const at = `${path}/${id}/bundle`;
    const again = await bytesOf(service, at);
    expect(again.bytes.equals(whole)).toBe(true);
    expect(again.headers.get('content-type')).toBe('application/zip');
    expect(again.headers.get('content-disposition')).toContain(`${id}.zip`);
    const part = await bytesOf(service, at, { range: 'bytes=10-19' });
    expect([part.status, part.bytes.equals(whole.subarray(10, 20))]).toEqual([206, true]);
  });

  it('has the same bytes where a restart came between what was collected and the file', async () => {
    let breaks = true;
    const kept: Buffer[] = [];
    service = await startEvidence({ wrapStore: breakingOff(() => breaks, kept) });
    await fill(service);
    idOf(await attach(service));
    const id = await collected(service);
    expect(await read(service, id)).toMatchObject({ status: 'building' });
    expect(await idsOf(service.deps.store.blobs)).toEqual([expect.stringMatching(/\.facts$/)]);
    await service.evidenceWork.stop(1_000);

    await inventoryOf(service).put('fine', { public: true });
    await inventoryOf(service).createPolicy('q', { compliance_frameworks: ['SOC2:CC6.1'] });
    idOf(await attach(service, { text: 'Signed by all again.' }));
    service.advance(day);
    breaks = false;
    const next = restarted();
    await next.idle();
    await next.stop(1_000);
    const bytes = await bundleOf(service, id);
    expect(kept).toHaveLength(1);
    expect(bytes.equals(kept[0] ?? Buffer.alloc(0))).toBe(true);
    expect(await verified(service, bytes)).toMatchObject({ verdict: 'valid', signer: 'known' });
    expect(await idsOf(service.deps.store.blobs)).toEqual([expect.stringMatching(/\.zip$/)]);
  });

  it('has failed, with the reason, once it was begun five times', async () => {
    const kept: Buffer[] = [];
    service = await startEvidence({ wrapStore: breakingOff(() => true, kept) });
    await fill(service);
    const id = await collected(service);
    for (let times = 0; times < 5; times += 1) {
      service.advance(60_000);
      await service.evidenceWork.idle();
    }
    expect(kept).toHaveLength(5);
    expect(await read(service, id)).toMatchObject({
      status: 'failed',
      failure: { reason: expect.stringContaining('started 5 times') as string },
    });
    const refused = await service.send('GET', `${path}/${id}/bundle`);
    expect([refused.status, refused.json.error]).toEqual([409, 'evidence_not_ready']);
    expect(refused.json.error_description).toContain('started 5 times');
    expect(await idsOf(service.deps.store.blobs)).toEqual([]);
  });

  it('has failed where a file that belongs in it was deleted meanwhile', async () => {
    let breaks = true;
    service = await startEvidence({ wrapStore: breakingOff(() => breaks, []) });
    await fill(service);
    const file = { name: 'a.txt', media_type: 'text/plain', content: 'YWJj' };
    const manual = idOf(await attach(service, { file }));
    const id = await collected(service);
    expect((await service.send('DELETE', `${manualPath}/${manual}`)).status).toBe(204);
    breaks = false;
    service.advance(60_000);
    await service.evidenceWork.idle();
    expect(await read(service, id)).toMatchObject({
      status: 'failed',
      failure: { reason: expect.stringContaining(`${manual} was deleted`) as string },
    });
    expect(await idsOf(service.deps.store.blobs)).toEqual([]);
  });

  it('is not there before it is built, and says where to look', async () => {
    service = await startEvidence({ evidence: false });
    await fill(service);
    const id = idOf(await collect(service));
    const got = await service.send('GET', `${path}/${id}/bundle`);
    expect([got.status, got.json.error]).toEqual([409, 'evidence_not_ready']);
    expect(got.json).toMatchObject({ evidence_id: id, status: 'building' });
    expect(got.json.error_description).toContain(`GET ${path}/${id}`);
  });

  it('waits with at most four others of its caller', async () => {
    service = await startEvidence({ evidence: false });
    await fill(service);
    for (let n = 0; n < 5; n += 1) idOf(await collect(service));
    const got = await collect(service);
    expect([got.status, got.headers.get('retry-after')]).toEqual([503, '10']);
    expect((await service.send('GET', `${path}/bundles`)).json.pagination).toMatchObject({
      total: 5,
    });
  });

  it('is listed by framework and status', async () => {
    service = await startEvidence();
    await fill(service);
    const soc2 = await collected(service);
    const pci = await collected(service, { framework: 'pci' });
    const list = async (query: string) => {
      const got = await service.send('GET', `${path}/bundles?${query}`);
      return (got.json.bundles as { id: string }[]).map(({ id }) => id);
    };
    expect(await list('framework=SOC-2')).toEqual([soc2]);
    expect((await list('status=completed')).toSorted()).toEqual([soc2, pci].toSorted());
    expect(await list('status=failed')).toEqual([]);
  });

  it('is removed with its file 400 days after it was asked for', async () => {
    service = await startEvidence();
    await fill(service);
    const id = await collected(service);
    service.advance(400 * day - 60_000);
    await service.maintain();
    expect(await read(service, id)).toMatchObject({ status: 'completed' });
    service.advance(2 * 60_000);
    await service.maintain();
    expect(await read(service, id)).toMatchObject({ error: 'evidence_not_found' });
    expect(await idsOf(service.deps.store.blobs)).toEqual([]);
  });

  it('comes back from a snapshot with its bytes, and with what people attached', async () => {
    service = await startEvidence();
    await fill(service);
    const file = { name: 'a.txt', media_type: 'text/plain', content: 'YWJj' };
    const manual = idOf(await attach(service, { file }));
    const id = await collected(service);
    const bytes = await bundleOf(service, id);
    const { text } = await service.send('GET', '/v1/local/snapshot');
    await service.send('POST', '/v1/local/reset');
    expect(await idsOf(service.deps.store.blobs)).toEqual([]);
    const headers = { 'content-type': 'application/x-ndjson' };
    const restored = await service.send('POST', '/v1/local/restore', { text, headers });
    expect(restored.status).toBe(200);
    expect((await bundleOf(service, id)).equals(bytes)).toBe(true);
    expect((await bytesOf(service, `${manualPath}/${manual}/file`)).bytes.toString()).toBe('abc');
  });
});

describe('what cannot be collected', () => {
  it('is anything before a scan of the whole inventory was completed', async () => {
    service = await startEvidence();
    const id = await inventoryOf(service).createPolicy('p');
    await service.send('POST', '/v1/scans', { body: { policy_ids: [id] } });
    await service.evaluator.run();
    const got = await collect(service);
    expect([got.status, got.json.error]).toEqual([400, 'invalid_evidence']);
    expect(got.json.error_description).toContain('No scan of the whole inventory');
    expect(got.text).toContain('POST /v1/scans');
    expect((await service.send('GET', `${path}/bundles`)).json.bundles).toEqual([]);
  });

  it('is a framework or control that is not known: the nearest one is named', async () => {
    service = await startEvidence();
    await fill(service);
    const framework = await collect(service, { framework: 'soc3' });
    expect([framework.status, framework.json.error]).toEqual([404, 'framework_not_found']);
    expect(framework.text).toContain('Did you mean soc2?');
    const control = await collect(service, { controls: ['CC6.1', 'CC6.11'] });
    expect([control.status, control.json.error]).toEqual([404, 'control_not_found']);
    expect(control.text).toContain('Did you mean CC6.1?');
  });

  it('is what changes after a moment that is still to come', async () => {
    service = await startEvidence();
    await fill(service);
    const got = await collect(service, { since: '2026-03-02T00:00:00Z' });
    expect([got.status, got.json.error]).toEqual([400, 'invalid_evidence']);
    expect(got.text).toContain('since');
  });

  it('is anything with a key that can only read; and a key without scopes reads nothing', async () => {
    service = await startEvidence();
    await fill(service);
    const id = await collected(service);
    const reader = await service.keyWith('governance:read');
    const writer = await service.keyWith('compliance:write');
    const other = await service.keyWith('cost:admin');
    expect((await collect(service, {}, { key: reader })).status).toBe(403);
    expect((await attach(service, {}, { key: reader })).status).toBe(403);
    expect((await collect(service, {}, { key: writer })).status).toBe(202);
    for (const at of [
      '?framework=soc2',
      '/bundles',
      '/key',
      '/manual',
      `/${id}`,
      `/${id}/bundle`,
    ]) {
      const got = [reader, other].map((key) => service.send('GET', path + at, { key }));
      expect([at, ...(await Promise.all(got)).map(({ status }) => status)]).toEqual([at, 200, 403]);
    }
  });
});
