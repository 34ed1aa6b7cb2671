import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reportDownloads } from '../../../../src/server/reports/download/collection.ts';
import { reports } from '../../../../src/server/reports/collection.ts';
import type { StoredReport } from '../../../../src/server/reports/collection.ts';
import { StoreUnavailable } from '../../../../src/server/store/store.ts';
import type { Store } from '../../../../src/server/store/store.ts';
import { writeBlob } from '../../store/blob-contract.ts';
import type { Got, Sent, TestService } from '../../test-service.ts';
import { fieldsOf } from '../../test-service.ts';
import { create, idOf, startReports } from '../report-world.ts';

let service: TestService;
/** Throws to make the access log fail. */
let beforeLog: () => void;
/** Fails like a disk would, in transactions that write the access log. */
const watched = (store: Store): Store => ({
  ...store,
  transact: (work) =>
    store.transact((tx) =>
      work({
        ...tx,
        insert(collection, doc) {
          if (collection.name === reportDownloads.name) beforeLog();
          return tx.insert(collection, doc);
        },
      }),
    ),
});
beforeEach(async () => {
  beforeLog = () => undefined;
  service = await startReports({
    wrapStore: watched,
  });
});
afterEach(() => service.close());

const completed = async (fields?: Readonly<Record<string, unknown>>): Promise<string> => {
  const id = idOf(await create(service, fields));
  await service.reportWork.idle();
  return id;
};

const get = (id: string, format = 'pdf', sent?: Sent, method = 'GET'): Promise<Got> =>
  service.send(method, `/v1/reports/${id}/download/${format}`, sent);

const logOf = async (id: string): Promise<readonly Record<string, unknown>[]> =>
  (await service.send('GET', `/v1/reports/${id}/downloads?order=asc`)).json.downloads as Record<
    string,
    unknown
  >[];

const text = 'pdf First quarter\nSummary\nFindings\n0\n1\n2\n';
const sha256 = createHash('sha256').update(text).digest('hex');

describe('downloading a report', () => {
  test('gives its file, with what tells it is whole', async () => {
    const got = await get(await completed());
    expect(got.status).toBe(200);
    expect(got.text).toBe(text);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(text.length),
      'content-disposition': 'attachment; filename="First-quarter.pdf"',
      etag: `"${sha256}"`,
      digest: `sha-256=${Buffer.from(sha256, 'hex').toString('base64')}`,
      'x-content-sha256': sha256,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_/),
    });
  });

  test('gives the part that is asked for, with the hash of the whole', async () => {
    const id = await completed();
    const got = await get(id, 'pdf', { headers: { range: 'bytes=4-8' } });
    expect([got.status, got.text]).toEqual([206, text.slice(4, 9)]);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-length': '5',
      'content-range': `bytes 4-8/${text.length}`,
      etag: `"${sha256}"`,
      'x-content-sha256': sha256,
    });
    const last = await get(id, 'pdf', { headers: { range: 'bytes=-3' } });
    expect(last.text).toBe(text.slice(-3));
    const several = await get(id, 'pdf', { headers: { range: 'bytes=0-1,4-5' } });
    expect([several.status, several.text]).toEqual([200, text]);
  });

  test('gives a part only of the file that the reader has begun', async () => {
    const id = await completed();
    const range = 'bytes=4-8';
    const same = await get(id, 'pdf', { headers: { range, 'if-range': `"${sha256}"` } });
    expect(same.status).toBe(206);
    for (const other of ['"other"', `W/"${sha256}"`, 'Sun, 01 Mar 2026 12:00:00 GMT']) {
      const got = await get(id, 'pdf', { headers: { range, 'if-range': other } });
      expect([got.status, got.text], other).toEqual([200, text]);
    }
  });

  test('refuses a range that is not there, and says how much is', async () => {
    const got = await get(await completed(), 'pdf', { headers: { range: 'bytes=1000-' } });
    expect(got.status).toBe(416);
    expect(got.headers.get('content-range')).toBe(`bytes */${text.length}`);
    expect(got.json).toMatchObject({ error: 'malformed_request' });
  });

  test('gives nothing to who has it already', async () => {
    const got = await get(await completed(), 'pdf', {
      headers: { 'if-none-match': `"${sha256}"` },
    });
    expect([got.status, got.text]).toEqual([304, '']);
    expect(got.headers.get('etag')).toBe(`"${sha256}"`);
  });

  test('gives the headers alone to HEAD, whatever the range', async () => {
    const id = await completed();
    const got = await get(id, 'pdf', { headers: { range: 'bytes=4-8' } }, 'HEAD');
    expect([got.status, got.text]).toEqual([200, '']);
    expect(got.headers.get('content-length')).toBe(String(text.length));
    expect(got.headers.get('x-content-sha256')).toBe(sha256);
    expect(await logOf(id)).toEqual([]);
  });

  test('renders a format that was not asked for at first, once, and keeps it', async () => {
    const id = await completed();
    const both = await Promise.all([get(id, 'csv'), get(id, 'csv')]);
    for (const got of both) {
      expect(got.text).toBe(text.replace('pdf', 'csv'));
      expect(got.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(got.headers.get('content-disposition')).toContain('First-quarter.csv');
    }
    const shown = await service.send('GET', `/v1/reports/${id}`);
    expect(shown.json.formats).toMatchObject([{ format: 'pdf' }, { format: 'csv' }]);
  });

  test('names the nearest format for one that there is not', async () => {
    const got = await get(await completed(), 'exel');
    expect([got.status, got.json.error, got.json.error_code]).toEqual([
      400,
      'invalid_report_config',
      'RPT_001',
    ]);
    expect(got.json.error_description).toContain('did you mean excel?');
    expect(fieldsOf(got)).toEqual(['format']);
    expect((await get(await completed(), 'docx')).json.error_description).toContain(
      'pdf, excel, csv, json, html',
    );
  });

  test('of one that there is not is a 404 with what may be the cause', async () => {
    const got = await get('rpt_none');
    expect([got.status, got.json.error_code]).toEqual([404, 'RPT_002']);
    expect(got.json).toMatchObject({
      report_id: 'rpt_none',
      possible_causes: expect.arrayContaining([expect.any(String)]),
    });
  });

  const stand = async (fields: Partial<StoredReport>): Promise<Got> => {
    const id = await completed();
    const { store } = service.deps;
    const doc = (await store.get(reports, id))?.doc;
    if (!doc) throw new Error('it was just made');
    await store.transact((tx) => tx.replace(reports, { ...doc, ...fields }));
    return get(id);
  };

  test('of one that is not completed says how far it is, or why it failed', async () => {
    const pending = await stand({ status: 'pending' });
    expect([pending.status, pending.json.error_code]).toEqual([409, 'RPT_003']);
    expect(pending.json).toMatchObject({
      status: 'pending',
      error_description: expect.stringContaining('is pending'),
    });
    const generating = await stand({ status: 'generating', progress: 42 });
    expect(generating.json).toMatchObject({
      status: 'generating',
      progress: 42,
      error_description: expect.stringContaining('42%'),
    });
    const failed = await stand({ status: 'failed', failure: { reason: 'It has no rows.' } });
    expect([failed.status, failed.json.error_description]).toEqual([
      409,
      expect.stringMatching(/has failed.*It has no rows\. Create it again/),
    ]);
  });

  test('takes the scope of reading', async () => {
    const id = await completed();
    const key = await service.keyWith('compliance:write');
    expect((await get(id, 'pdf', { key })).status).toBe(403);
    expect((await get(id, 'pdf', { key: null })).status).toBe(401);
  });
});

describe('the detached signature', () => {
  test('lies beside each file that is no PDF of a signed report', async () => {
    const id = await completed({ format_options: { formats: ['pdf', 'csv'] } });
    const { store } = service.deps;
    await writeBlob(store.blobs, 'signature', [Buffer.from('a signature')]);
    const doc = (await store.get(reports, id))?.doc;
    const files = doc?.result?.files.map((file) =>
      file.format === 'csv' ? { ...file, signature: { blob: 'signature', size: 11 } } : file,
    );
    if (!doc?.result || !files) throw new Error('it was just made');
    const signed = { ...doc, security: { sign: true }, result: { ...doc.result, files } };
    await store.transact((tx) => tx.replace(reports, signed));
    const got = await get(id, 'csv/signature');
    expect(got.text).toBe('a signature');
    expect(got.headers.get('content-type')).toBe('application/pkcs7-signature');
    expect(got.headers.get('content-disposition')).toBe(
      'attachment; filename="First-quarter.csv.sig"',
    );
    expect(got.headers.get('x-content-sha256')).toBe(
      createHash('sha256').update(got.text).digest('hex'),
    );
    expect((await logOf(id)).map(({ format }) => format)).toEqual(['csv.sig']);
    const ofPdf = await get(id, 'pdf/signature');
    expect([ofPdf.status, ofPdf.json.error_description]).toEqual([
      400,
      expect.stringContaining('contains its signature'),
    ]);
  });

  test('is not there where none was asked for', async () => {
    const got = await get(await completed(), 'csv/signature');
    expect([got.status, got.json.error_description]).toEqual([
      400,
      expect.stringContaining('security.sign'),
    ]);
  });
});

describe('a protected report', () => {
  const password = 'corréct horse';
  const asHeader = (value: string): Record<string, string> => ({
    'x-service-report-password': Buffer.from(value).toString('latin1'),
  });

  test('is given for its password alone, which no answer and no log holds', async () => {
    const id = await completed({ format_options: { security: { password } } });
    const without = await get(id);
    expect([without.status, without.json.error, without.json.error_code]).toEqual([
      403,
      'report_password_required',
      'RPT_004',
    ]);
    const wrong = await get(id, 'pdf', { headers: asHeader('wrong horse') });
    expect([wrong.status, wrong.json.error, wrong.json.error_code]).toEqual([
      403,
      'report_password_wrong',
      'RPT_004',
    ]);
    const right = await get(id, 'pdf', { headers: asHeader(password) });
    expect(right.status).toBe(200);
    const latin1 = await get(id, 'pdf', {
      headers: { 'x-service-report-password': password },
    });
    expect(latin1.status).toBe(200);
    expect(await logOf(id)).toHaveLength(2);
    const shown = await service.send('GET', `/v1/reports/${id}`);
    const said = [without, wrong, right, shown].map((got) => got.text).join();
    expect(`${said}${JSON.stringify(service.logged)}`).not.toContain('horse');
  });

  test('is not protected by a password that no header could carry', async () => {
    for (const bad of [' blank before', 'blank after ', 'line\nbreak', 'short']) {
      const got = await create(service, { format_options: { security: { password: bad } } });
      expect([got.status, fieldsOf(got)], bad).toEqual([400, ['format_options.security.password']]);
    }
  });
});

describe('the access log', () => {
  test('has who took what, when, from where, and whether it was a part', async () => {
    const id = await completed();
    await get(id, 'pdf', { from: '192.0.2.7' });
    service.advance(1_000);
    await get(id, 'csv', { headers: { range: 'bytes=4-8' } });
    await get(id, 'pdf', { headers: { range: 'bytes=1000-' } });
    await get(id, 'pdf', { headers: { 'if-none-match': '*' } });
    const me = (await service.send('GET', '/v1/audit-log?limit=1')).json;
    const [{ actor }] = me.audit_log as [{ actor: string }];
    expect(await logOf(id)).toEqual([
      {
        id: expect.stringMatching(/^dwn_/),
        at: '2026-03-01T12:00:00.000Z',
        format: 'pdf',
        by: actor,
        via: 'token',
        ip: '192.0.2.7',
      },
      {
        id: expect.stringMatching(/^dwn_/),
        at: '2026-03-01T12:00:01.000Z',
        format: 'csv',
        by: actor,
        via: 'token',
        partial: true,
      },
    ]);
    expect((await service.send('GET', '/v1/reports/rpt_none/downloads')).status).toBe(404);
  });

  test('that cannot be written gives no file', async () => {
    const id = await completed();
    beforeLog = () => {
      throw new StoreUnavailable('the disk is full');
    };
    const got = await get(id);
    expect([got.status, got.json.error]).toEqual([503, 'unavailable']);
    beforeLog = () => undefined;
    expect(await logOf(id)).toEqual([]);
  });

  test('goes with its report', async () => {
    const id = await completed();
    await get(id);
    await service.send('DELETE', `/v1/reports/${id}`);
    expect((await get(id)).status).toBe(404);
    const rows = await service.deps.store.page(reportDownloads, {
      orderBy: 'id',
      direction: 'asc',
      limit: 1,
    });
    expect(rows.total).toBe(0);
  });
});

test('a request ends when its body was taken, or nobody wants more of it', async () => {
  const id = await completed();
  const ask = (): Promise<Response> =>
    Promise.resolve(
      service.app.fetch(
        new Request(`http://service.test/v1/reports/${id}/download/pdf`, {
          headers: { authorization: `Bearer ${service.key}` },
        }),
        {},
      ),
    );
  const ended = (): unknown[] =>
    service.events
      .filter(({ route }) => route?.endsWith('/download/:format'))
      .map(({ status, bytes }) => [status, bytes]);
  const taken = await ask();
  expect(ended()).toEqual([]);
  await taken.text();
  expect(ended()).toEqual([[200, text.length]]);
  const left = await ask();
  await left.body?.cancel();
  expect(ended()).toEqual([
    [200, text.length],
    [200, 0],
  ]);
});
