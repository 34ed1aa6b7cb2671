import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as setImmediately } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSnapshot, receiveSnapshot } from '../../../src/server/local/read-snapshot.ts';
import { storedBy, takeSnapshot } from '../../../src/server/local/snapshot.ts';
import { modules } from '../../../src/server/wiring/modules.ts';
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

const restore = (text: string, query = '', to = service): Promise<Got> =>
  to.send('POST', `/v1/local/restore${query}`, {
    text,
    headers: { 'content-type': 'application/x-ndjson' },
  });
const snapshot = async (): Promise<string> =>
  (await inventory.ok('GET', '/v1/local/snapshot')).text;

/** Everything that can be read of it. */
async function state(of: TestService = service): Promise<Record<string, unknown>> {
  const lists = ['policies', 'resources', 'violations', 'exemptions', 'scans', 'events'];
  const answers = lists.map(async (plural) => {
    const { json } = await of.send('GET', `/v1/${plural}?limit=100`);
    return [plural, json[plural]] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

async function fill(): Promise<void> {
  await inventory.createPolicy('p', { severity: 'HIGH' });
  for (const id of ['a', 'b', 'c']) await inventory.put(id, { public: id !== 'c' });
  await inventory.exempt({ resources: ['a'] });
  await inventory.ok('POST', '/v1/scans', { body: {} });
  await service.evaluator.run();
}

/** The lines between head and end, changed, under a checksum that fits. */
function edited(text: string, change: (lines: string[]) => string[]): string {
  const lines = change(text.split('\n').slice(0, -2));
  const body = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${JSON.stringify({ end: true, lines: lines.length, sha256 })}\n`;
}

/** The first row of a collection, changed. */
const editedRow = (text: string, collection: string, what: string | RegExp, by: string): string =>
  edited(text, (lines) => {
    const at = lines.findIndex((line) => line.startsWith(`{"in":"${collection}"`));
    const row = lines[at]?.replace(what, by) ?? '';
    if (row === lines[at]) throw new Error(`${collection} has no ${String(what)}`);
    return lines.with(at, row);
  });

describe('a snapshot', () => {
  const take = (signal: AbortSignal): Promise<void> => {
    const head = {
      kind: 'govctl-snapshot',
      format_version: 1,
      version: '1',
      taken_at: '',
    } as const;
    return takeSnapshot(service.deps.store, storedBy(modules), head, {
      signal,
      write: async () => undefined,
    });
  };

  it('is taken no further for a caller who has left', async () => {
    const lines = Array.from(
      { length: 2_500 },
      (_, n) => `{"id":"r${n}","type":"AWS::S3::Bucket"}\n`,
    );
    expect((await inventory.importLines(lines.join(''))).status).toBe(200);
    const leaving = new AbortController();
    const taking = take(leaving.signal);
    setImmediate(() => leaving.abort(new Error('left')));
    await expect(taking).rejects.toThrow('left');
  });

  it('is not begun for a caller who left while it waited for changes', async () => {
    const leaving = new AbortController();
    const changing = service.deps.store.transact(async () => void (await setImmediately()));
    const taking = take(leaving.signal);
    leaving.abort(new Error('left'));
    await changing;
    await expect(taking).rejects.toThrow('left');
  });

  it('of an earlier version is read as this version stores it, and refused where its rows are none of one', async () => {
    await inventory.createPolicy('p', { severity: 'HIGH' });
    const stored = storedBy(modules);
    const collections = stored.collections.map((one) =>
      one.spec.name !== 'policies'
        ? one
        : {
            ...one,
            spec: {
              ...one.spec,
              migrations: [
                (older: { readonly id: string }) => {
                  if (!('name' in older)) throw new Error('no policy of version 1');
                  return { ...older, description: 'migrated' };
                },
              ],
            },
          },
    );
    const later = { ...stored, collections };
    const text = await snapshot();
    const readText = async (lines: string) =>
      readSnapshot(await receiveSnapshot(Readable.from([Buffer.from(lines)])), later);
    const { documents } = await readText(text);
    const [policies] = [...documents].flatMap(([{ spec }, docs]) => (spec.name === 'policies' ? [docs] : [])); // prettier-ignore
    expect(policies).toMatchObject([{ name: 'p', severity: 'HIGH', description: 'migrated' }]);
    await expect(readText(editedRow(text, 'policies', '"name":', '"nome":'))).rejects.toThrow('is not a valid row of an earlier version'); // prettier-ignore
  });

  it('brings everything back, into the same server and into another', async () => {
    await fill();
    const before = await state();
    const text = await snapshot();
    await inventory.createPolicy('q');
    await inventory.ok('DELETE', '/v1/resources/b');
    await inventory.put('d');
    const got = await restore(text);
    expect(got.json).toMatchObject({
      taken_at: '2026-03-01T12:00:00.000Z',
      restored: { policies: 1, resources: 3, exemptions: 1, scans: 1 },
      new_secrets: 0,
    });
    expect(await state()).toEqual(before);

    const other = await startTestService();
    await other.send('PUT', '/v1/resources/z', { body: { id: 'z', type: 'Custom::Z' } });
    expect((await restore(text, '', other)).status).toBe(200);
    expect(await state(other)).toEqual(before);
    await other.close();
  });

  it('holds no credentials and no audit log, and leaves those of the server as they are', async () => {
    await fill();
    const extra = await service.keyWith('admin', 'governance:read');
    const text = await snapshot();
    expect(text).not.toContain(service.key);
    expect(text).not.toMatch(
      /"in":"(api_keys|audit_log|idempotency_keys|access_tokens|local_state|server_state)"/,
    );
    await restore(text);
    expect((await service.send('GET', '/v1/policies', { key: extra })).status).toBe(200);
    const audit = (await service.send('GET', '/v1/audit-log')).json.audit_log as {
      action: string;
    }[];
    expect(audit.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['policy.create', 'local.restore']),
    );
  });

  it('lets a request with an idempotency key be made anew after it was restored', async () => {
    const text = await snapshot();
    const sent = {
      body: {
        name: 'p',
        resource_type: 'Custom::P',
        rules: [{ condition: 'true', effect: 'DENY', message: 'm' }],
      },
      headers: { 'idempotency-key': 'once' },
    };
    expect((await service.send('POST', '/v1/policies', sent)).status).toBe(201);
    await restore(text);
    const again = await service.send('POST', '/v1/policies', sent);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('sets the clock to its moment where that is asked for', async () => {
    const text = await snapshot();
    service.advance(3 * 86_400_000);
    expect((await restore(text)).json).toMatchObject({ clock: { offset_ms: 0 } });
    expect((await restore(text, '?clock=snapshot')).json).toMatchObject({
      clock: { now: '2026-03-01T12:00:00.000Z', offset_ms: -3 * 86_400_000 },
    });
  });

  it('goes on with work that was under way', async () => {
    await inventory.createPolicy('p');
    await inventory.exempt({ expires: '2026-03-03' });
    await inventory.put('b', { public: true });
    const text = await snapshot();
    await inventory.ok('POST', '/v1/local/reset');
    await restore(text);
    await inventory.ok('POST', '/v1/local/clock/advance', { body: { by: '1w' } });
    expect(await inventory.violation()).toMatchObject({ status: 'OPEN' });
  });

  it.each<[string, (text: string) => string, string]>([
    ['nothing', () => '', 'line 1 is not the beginning'],
    ['something else', () => '{"id": 1}\n', 'line 1 is not the beginning'],
    ['half of it', (text) => text.slice(0, text.length / 2), 'is not the last line of a snapshot'],
    ['a changed byte', (text) => text.replace('"HIGH"', '"LOW!"'), 'checksum'],
    ['a missing line', (text) => text.replace(/\n.*?\n/, '\n'), 'checksum'],
    [
      'a newer form',
      (text) =>
        edited(text, ([head = '', ...rest]) => [
          head.replace('"format_version":1', '"format_version":2'),
          ...rest,
        ]),
      'newer govctl',
    ],
    [
      'newer rows',
      (text) =>
        edited(text, ([head = '', ...rest]) => [
          `${head.slice(0, -1)},"versions":{"policies":7}}`,
          ...rest,
        ]),
      'the records of "policies" have version 7; this govctl supports version 1',
    ],
    [
      'an unknown collection',
      (text) => edited(text, (lines) => [...lines, '{"in":"x","doc":{"id":"1"}}']),
      '"x"',
    ],
    [
      'credentials',
      (text) => edited(text, (lines) => [...lines, '{"in":"api_keys","doc":{"id":"1"}}']),
      '"api_keys"',
    ],
    [
      'names of every object',
      (text) => edited(text, (lines) => [...lines, '{"in":"__proto__","doc":{"id":"1"}}']),
      '"__proto__"',
    ],
    [
      'a sequence of another server',
      (text) => edited(text, (lines) => [...lines, '{"sequence":"constructor","value":1}']),
      'unknown sequence',
    ],
    [
      'lanes of another server',
      (text) =>
        edited(text, (lines) => [...lines, '{"of":"toString","lane":"l","at":1,"work":"w"}']),
      'unknown',
    ],
    ['a line that is none', (text) => edited(text, (lines) => [...lines, '[]']), 'not a line'],
    [
      'a document twice',
      (text) =>
        edited(text, (lines) => [...lines, lines.find((line) => line.startsWith('{"in"')) ?? '']),
      'id is the same as in line 3',
    ],
    [
      'a document that cannot be kept',
      (text) =>
        edited(text, (lines) => [...lines, '{"in":"policies","doc":{"id":"pol_1","name":{}}}']),
      '(policies "pol_1"): name must be a string, not an object',
    ],
    [
      'two documents of one name',
      (text) =>
        edited(text, (lines) => [
          ...lines,
          ...lines
            .filter((line) => line.startsWith('{"in":"policies"'))
            .map((line) => line.replace('pol_', 'pol_x')),
        ]),
      'name is the same as in line 3',
    ],
    [
      'a row whose rule has an unknown effect',
      (text) => editedRow(text, 'policies', '"effect":"DENY"', '"effect":"DENI"'),
      'rules[0].effect must be one of ALLOW, DENY, not "DENI"; did you mean DENY?',
    ],
    [
      'a row whose ID is not that of its resource',
      (text) => editedRow(text, 'resources', '{"id":"a","resource"', '{"id":"x","resource"'),
      'line 4 (resources "x"): id must be "a", according to its other fields',
    ],
    [
      'a time that is none',
      (text) => editedRow(text, 'violations', /"detected_at":"[^"]*"/, '"detected_at":"today"'),
      'detected_at must be a UTC time',
    ],
    [
      'a number below zero',
      (text) => editedRow(text, 'inventory_scopes', /":3}/, '":-3}'),
      'must be at least 0',
    ],
    [
      'work of an unknown kind',
      (text) => editedRow(text, 'evaluation_work', '"kind":"expiry"', '"kind":"decay"'),
      'kind must be a known kind',
    ],
  ])('is refused as %s, and nothing is touched', async (_, change, why) => {
    await fill();
    const before = await state();
    const got = await restore(change(await snapshot()));
    expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
    expect(got.json.error_description).toContain(why);
    expect(await state()).toEqual(before);
  });

  it('is refused with the line, the collection, the field, and what to do', async () => {
    await fill();
    const text = editedRow(await snapshot(), 'policies', '"severity":"HIGH"', '"severity":7');
    expect((await restore(text)).json).toMatchObject({
      error: 'malformed_request',
      error_description: expect.stringMatching(
        /line 3 \(policies "pol_\w+"\): severity must be one of LOW, MEDIUM, HIGH, CRITICAL, not 7$/,
      ) as string,
      hint: expect.stringContaining('Correct that line') as string,
      details: [{ field: 'line 3: severity' }],
    });
  });

  it('is taken whole or refused, whichever byte of it was changed', async () => {
    await fill();
    const bytes = Buffer.from(await snapshot());
    const before = await state();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const changed = Buffer.from(bytes);
          changed[at] = ((changed[at] ?? 0) + by) % 256;
          const got = await restore(changed.toString('latin1'));
          expect(got.json.error).toBe('malformed_request');
        },
      ),
      // The newline at the end, too, that became a tab, a return or a space.
      { numRuns: 60, examples: [255, 3, 22].map((by) => [bytes.length - 1, by]) },
    );
    expect(await state()).toEqual(before);
  });
});

describe('a reset', () => {
  it('empties the server but for its credentials, and puts clock, faults and log back', async () => {
    await fill();
    const extra = await service.keyWith('governance:read');
    await inventory.ok('PUT', '/v1/local/clock', { body: { now: '2030-01-01T00:00:00Z' } });
    await inventory.ok('POST', '/v1/local/faults', { body: { path: '/x', status: 500 } });
    const got = await inventory.ok('POST', '/v1/local/reset');
    expect(got.json).toMatchObject({
      removed: { policies: 1, resources: 3, exemptions: 1, scans: 1 },
      clock: { offset_ms: 0 },
    });
    expect(Object.values(await state()).flat()).toEqual([]);
    expect((await service.send('GET', '/v1/policies', { key: extra })).status).toBe(200);
    const audit = (await service.send('GET', '/v1/audit-log')).json.audit_log as {
      action: string;
    }[];
    expect(audit.map(({ action }) => action)).toEqual(['local.reset']);
    expect((await inventory.ok('GET', '/v1/local')).json).toMatchObject({ faults: 0 });
  });

  it('takes no more back than before: ids and sequences go on', async () => {
    const first = await inventory.createPolicy('p');
    await inventory.ok('POST', '/v1/local/reset');
    expect((await inventory.createPolicy('p')) > first).toBe(true);
  });
});
