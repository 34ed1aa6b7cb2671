import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reportLinks } from '../../../../src/server/reports/download/collection.ts';
import { serverState } from '../../../../src/server/keys/collection.ts';
import type { Got, TestService } from '../../test-service.ts';
import { create, idOf, read, startReports } from '../report-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startReports();
});
afterEach(() => service.close());

const completed = async (fields?: Readonly<Record<string, unknown>>): Promise<string> => {
  const id = idOf(await create(service, fields));
  await service.reportWork.idle();
  return id;
};

const base = 'https://govctl.test';

const link = (id: string, body: Readonly<Record<string, unknown>> = { format: 'pdf' }) =>
  service.send('POST', `/v1/reports/${id}/download-link`, { body });

/** As a browser does: without a token. */
const follow = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> =>
  service.send('GET', url.replace(base, ''), { key: null, headers, from: '198.51.100.4' });

const pathOf = ({ json }: Got): string => String(json.url).slice(base.length);

const expectNotFound = (got: Got, reportId: string): void => {
  expect([got.status, got.json.error, got.json.error_code]).toEqual([
    404,
    'report_not_found',
    'RPT_002',
  ]);
  expect(got.json.report_id).toBe(reportId);
  expect(got.json.possible_causes).toContain('The share link has expired');
};

describe('a link to a report', () => {
  test('carries its expiry and ends with its signature', async () => {
    const id = await completed();
    const made = await link(id, { format: 'csv', expires_in: 600 });
    expect(made.status).toBe(201);
    expect(made.json).toEqual({
      id: expect.stringMatching(/^lnk_/),
      url: expect.stringMatching(
        new RegExp(
          `^${base}/v1/reports/${id}/download-links/lnk_\\w+/file\\?expires=1772367000&signature=[0-9a-f]{64}$`,
        ),
      ),
      format: 'csv',
      expires_at: '2026-03-01T12:10:00.000Z',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      size_bytes: 41,
    });
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect((await link(id)).json.expires_at).toBe('2026-03-01T13:00:00.000Z');
  });

  test('gives the file without a token, and is written down', async () => {
    const id = await completed();
    const made = await link(id, { format: 'csv' });
    const got = await follow(String(made.json.url), { range: 'bytes=0-2' });
    expect([got.status, got.text]).toEqual([206, 'csv']);
    await follow(String(made.json.url), { range: 'bytes=3-' });
    const { json } = await service.send('GET', `/v1/reports/${id}/downloads?limit=1`);
    expect(json.downloads).toMatchObject([
      { format: 'csv', via: 'link', link_id: made.json.id, ip: '198.51.100.4', partial: true },
    ]);
    expect((await read(service, id)).sharing).toEqual({
      links: [
        {
          id: made.json.id,
          format: 'csv',
          expires_at: '2026-03-01T13:00:00.000Z',
          created_at: '2026-03-01T12:00:00.000Z',
          created_by: expect.stringMatching(/^user_/),
          downloads: 1,
        },
      ],
    });
  });

  test('changes the ETag of its report, which shows it', async () => {
    const id = await completed();
    const etag = async () => (await service.send('GET', `/v1/reports/${id}`)).headers.get('etag');
    const before = await etag();
    const made = await link(id);
    const between = await etag();
    expect(between).not.toBe(before);
    await service.send('DELETE', `/v1/reports/${id}/download-links/${String(made.json.id)}`);
    expect(await etag()).not.toBe(between);
  });

  test('leads nowhere once it has expired, and is forgotten then', async () => {
    const id = await completed();
    const { url } = (await link(id, { format: 'pdf', expires_in: 60 })).json;
    service.advance(59_999);
    expect((await follow(String(url))).status).toBe(200);
    service.advance(1);
    expectNotFound(await follow(String(url)), id);
    expect((await read(service, id)).sharing).toEqual({ links: [] });
    await service.maintain();
    const left = await service.deps.store.page(reportLinks, {
      orderBy: 'id',
      direction: 'asc',
      limit: 1,
    });
    expect(left.total).toBe(0);
  });

  test('is refused where the report has a thousand, until one ends', async () => {
    const id = await completed();
    const first = await link(id);
    const path = `/v1/reports/${id}/download-links/${String(first.json.id)}`;
    for (let n = 1; n < 1_000; n += 1) expect((await link(id)).status).toBe(201);
    const refused = await link(id);
    expect([refused.status, refused.json.error_code]).toEqual([400, 'RPT_001']);
    expect(refused.json.error_description).toContain('1000 links, which is the maximum');
    expect((await service.send('DELETE', path)).status).toBe(204);
    expect((await link(id)).status).toBe(201);
  });

  test('leads nowhere once it was revoked', async () => {
    const id = await completed();
    const made = await link(id);
    const at = `/v1/reports/${id}/download-links/${String(made.json.id)}`;
    expect((await service.send('DELETE', `/v1/reports/rpt_other/download-links/x`)).status).toBe(
      404,
    );
    expect((await service.send('DELETE', at)).status).toBe(204);
    expectNotFound(await follow(pathOf(made)), id);
    expectNotFound(await service.send('DELETE', at), id);
  });

  test('leads nowhere once its report is deleted', async () => {
    const id = await completed();
    const made = await link(id);
    await service.send('DELETE', `/v1/reports/${id}`);
    expectNotFound(await follow(pathOf(made)), id);
  });

  test('leads nowhere once any character of it is changed, or a part is left out', async () => {
    const id = await completed();
    const path = pathOf(await link(id, { format: 'pdf', expires_in: 600 }));
    const [place = '', query = ''] = path.split('?');
    const [expires = '', signature = ''] = query.split('&');
    for (const changed of [place, `${place}?${expires}`, `${place}?${signature}`]) {
      expectNotFound(await follow(changed), id);
    }
    const later = expires.replace(/\d+$/, (at) => String(Number(at) + 1));
    expectNotFound(await follow(`${place}?${later}&${signature}`), id);
    expectNotFound(
      await follow(
        `${place}?${expires}&${signature.toUpperCase().replace('SIGNATURE', 'signature')}`,
      ),
      id,
    );
    for (const added of ['format=pdf', 'expires=9', expires, signature, '=', 'toString=1']) {
      expectNotFound(await follow(`${path}&${added}`), id);
    }
    expect((await follow(path)).status).toBe(200);
    const start = path.indexOf('rpt_') + 4;
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: path.length - start - 1 }),
        fc.constantFrom(...'0123456789abcdefz_'),
        async (at, char) => {
          const whole = path.slice(0, start + at) + char + path.slice(start + at + 1);
          if (whole === path) return;
          expect([401, 404, 405]).toContain((await follow(whole)).status);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('opens no other report, format or link', async () => {
    const [one, two] = [await completed(), await completed()];
    const [a, b] = [pathOf(await link(one)), pathOf(await link(two))];
    expectNotFound(await follow(a.replace(one, two)), two);
    const idIn = (path: string): string => /lnk_\w+/.exec(path)?.[0] ?? '';
    expectNotFound(await follow(a.replace(idIn(a), idIn(b))), one);
    expectNotFound(await follow(b.replace(two, one)), one);
  });

  test('leads nowhere once the key that it was signed with is gone; new ones do', async () => {
    const id = await completed();
    const old = pathOf(await link(id));
    const { store, secrets } = service.deps;
    const key = (await store.get(serverState, 'report_links'))?.doc;
    expect(secrets.open(String(key?.value), 'report_links')).toHaveLength(43);
    await store.transact((tx) =>
      tx.replace(serverState, { id: 'report_links', value: 'v1:sealed-with-another-key' }),
    );
    expectNotFound(await follow(old), id);
    const fresh = pathOf(await link(id));
    expect((await follow(fresh)).status).toBe(200);
    expectNotFound(await follow(old), id);
  });

  test('to a protected report takes its password, too', async () => {
    const id = await completed({ format_options: { security: { password: 'correct horse' } } });
    const path = pathOf(await link(id));
    expect((await follow(path)).json.error).toBe('report_password_required');
    const password = { 'X-Service-Report-Password': 'correct horse' };
    expect((await follow(path, password)).status).toBe(200);
  });

  test('is not made for a report that is not there yet, nor for a day or format that is none', async () => {
    expect((await link('rpt_none')).status).toBe(404);
    const id = await completed();
    for (const body of [
      { format: 'docx' },
      { format: 'pdf', expires_in: 59 },
      { format: 'pdf', expires_in: 604_801 },
    ]) {
      const got = await link(id, body);
      expect([got.status, got.json.error]).toEqual([400, 'invalid_report_config']);
    }
    const waiting = idOf(
      await create(service, { delivery: { scheduled_at: '2026-03-02T00:00:00Z' } }),
    );
    expect((await link(waiting)).json.error).toBe('report_not_ready');
    const key = await service.keyWith('governance:read');
    const made = await service.send('POST', `/v1/reports/${id}/download-link`, {
      body: { format: 'pdf' },
      key,
    });
    expect(made.status).toBe(403);
  });

  test('is audited when it is made and when it is revoked', async () => {
    const id = await completed();
    const made = String((await link(id)).json.id);
    await service.send('DELETE', `/v1/reports/${id}/download-links/${made}`);
    const { json } = await service.send('GET', `/v1/audit-log?subject=${made}&order=asc`);
    const entries = json.audit_log as { action: string }[];
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'report.link.create',
      'report.link.revoke',
    ]);
  });
});
