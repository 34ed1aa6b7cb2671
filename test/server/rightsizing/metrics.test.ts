import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { utilization } from '../../../src/server/rightsizing/collection.ts';
import { readBlob, readPart } from '../../../src/server/rightsizing/part-file.ts';
import { createUtilization } from '../../../src/server/rightsizing/import-metrics.ts';
import { Upload } from '../../../src/server/rightsizing/upload.ts';
import { allRows } from '../../../src/server/store/all-rows.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import {
  blobsOf,
  hourly,
  machine,
  machineId,
  putMachines,
  sendLines,
  sendMetrics,
} from './machines.ts';

let service: TestService;
beforeEach(async () => {
  // 2026-03-01, noon.
  service = await startTestService();
  await putMachines(service, machine(machineId, 'm5.xlarge'));
});
afterEach(() => service.close());

/** All quarters of an hour that are stored, as `metric size time percent`. */
async function stored(): Promise<string[]> {
  const all: string[] = [];
  for await (const { doc } of allRows(service.deps.store, utilization, {})) {
    for (const one of readPart(await readBlob(service.deps.store.blobs, doc.file))) {
      for (const [at, code] of one.codes.entries()) {
        if (code === 0) continue;
        const time = new Date((doc.week * 672 + at) * 900_000).toISOString().slice(5, 16);
        all.push(`${one.metric} ${one.size} ${time} ${(code - 1) / 2}`);
      }
    }
  }
  return all.sort();
}

const point = (more: Readonly<Record<string, unknown>> = {}) => ({
  resource_id: machineId,
  metric: 'cpu',
  at: '2026-02-28T10:00:00Z',
  period_seconds: 300,
  value: 12.5,
  ...more,
});

const sendOne = (more: Readonly<Record<string, unknown>>) =>
  sendLines(service, [JSON.stringify(point()), JSON.stringify(point(more))]);

describe('POST /v1/metrics', () => {
  it('keeps of each quarter of an hour the highest that an upload says, whichever order its lines have', async () => {
    const lines = [
      point({ value: 12.5 }),
      point({ at: '2026-02-28T10:05:00Z', value: 30.1 }),
      point({ at: '2026-02-28T10:10:00Z', value: 20 }),
      point({
        at: '2026-02-28T10:15:00Z',
        period_seconds: 1_800,
        value: undefined,
        statistics: { max: 7, average: 3 },
      }),
      point({ metric: 'memory', value: 40 }),
    ].map((one) => JSON.stringify(one));
    const got = await sendLines(service, [...lines, '', ...lines.toReversed()]);
    expect([got.status, got.json]).toEqual([
      200,
      {
        points: 10,
        resources: 1,
        from: '2026-02-28T10:00:00.000Z',
        until: '2026-02-28T10:45:00.000Z',
        changed: 4,
        left_out: { unknown_resource: 0, too_old: 0, unknown_size: 0 },
      },
    ]);
    expect(await stored()).toEqual([
      'cpu m5.xlarge 02-28T10:00 30.5',
      'cpu m5.xlarge 02-28T10:15 7',
      'cpu m5.xlarge 02-28T10:30 7',
      'memory m5.xlarge 02-28T10:00 40',
    ]);
  });

  it('changes nothing where the same comes again, and replaces a quarter of an hour that comes corrected', async () => {
    const points = hourly(machineId, 'cpu', '2026-02-20T00:00:00Z', [10, 20, 30]);
    expect((await sendMetrics(service, points)).json.changed).toBe(12);
    const before = await blobsOf(service);
    expect((await sendMetrics(service, points)).json.changed).toBe(0);
    expect(await blobsOf(service)).toEqual(before);
    // Lower than before: it is corrected, not raised.
    const [, second] = hourly(machineId, 'cpu', '2026-02-20T00:00:00Z', [10, 5]);
    expect((await sendMetrics(service, second ? [second] : [])).json.changed).toBe(4);
    expect((await stored()).filter((one) => one.endsWith(' 5'))).toHaveLength(4);
    // The blob that it replaced is gone.
    expect(await blobsOf(service)).toHaveLength(before.length);
  });

  it('takes memory in bytes and memory that is free, in percent of what the size has', async () => {
    // m5.xlarge: 16 GiB. 4 GiB in use: 25 %. 12 GiB free: 25 % in use; 90 % free: 10 %.
    const gib = 2 ** 30;
    await sendLines(
      service,
      [
        point({ metric: 'memory', unit: 'bytes', value: 4 * gib }),
        point({
          metric: 'memory_available',
          unit: 'bytes',
          at: '2026-02-28T11:00:00Z',
          value: 12 * gib,
        }),
        point({
          metric: 'memory_available',
          at: '2026-02-28T12:00:00Z',
          value: undefined,
          statistics: { min: 90, max: 95 },
        }),
      ].map((one) => JSON.stringify(one)),
    );
    expect(await stored()).toEqual([
      'memory m5.xlarge 02-28T10:00 25',
      'memory m5.xlarge 02-28T11:00 25',
      'memory m5.xlarge 02-28T12:00 10',
    ]);
    await putMachines(service, machine('i-0123456789abcdef1', 'x9.huge'));
    const bytes = point({ resource_id: 'i-0123456789abcdef1', metric: 'memory', unit: 'bytes' });
    expect((await sendLines(service, [JSON.stringify(bytes)])).json.left_out).toMatchObject({
      unknown_size: 1,
    });
  });

  it('finds a machine by its ID where the inventory has its ARN, and the other way around', async () => {
    const arn = 'arn:aws:ec2:eu-west-1:11:instance/i-0123456789abcdef2';
    await putMachines(service, machine(arn, 'm5.large'));
    const named = ['i-0123456789abcdef2', arn, `arn:aws:ec2:eu-west-1:11:instance/${machineId}`];
    const lines = named.map((resource_id) => JSON.stringify(point({ resource_id })));
    expect((await sendLines(service, lines)).json).toMatchObject({ points: 3, resources: 2 });
  });

  it('keeps what was measured of another size apart, and its corrections, too', async () => {
    await sendMetrics(service, hourly(machineId, 'cpu', '2026-02-20T00:00:00Z', [10]));
    await putMachines(service, machine(machineId, 'm5.large'));
    await sendMetrics(service, hourly(machineId, 'cpu', '2026-02-20T00:00:00Z', [12, 20]));
    expect(new Set(await stored())).toEqual(
      new Set([
        ...['00', '15', '30', '45'].map((minute) => `cpu m5.xlarge 02-20T00:${minute} 12`),
        ...['00', '15', '30', '45'].map((minute) => `cpu m5.large 02-20T01:${minute} 20`),
      ]),
    );
  });

  it.each([
    ['is not JSON', '{"resource_id":', 'Line 2: is not JSON'],
    ['has NaN', '{"value":NaN}', 'Line 2: is not JSON'],
    ['is a list', '[]', 'must be an object'],
    ['is not UTF-8', Buffer.from([0x7b, 0xff]).toString('latin1'), 'Line 2:'],
  ])('refuses all of it where a line %s', async (_, line, message) => {
    const got = await sendLines(service, [JSON.stringify(point()), line]);
    expect([got.status, got.json.error]).toEqual([400, 'invalid_metric']);
    expect(got.text).toContain(message);
    expect(await stored()).toEqual([]);
    expect(await blobsOf(service)).toEqual([]);
  });

  it.each([
    [{ value: 1e308 }, 'Line 2: value must be from 0 to 1000'],
    [{ value: -1 }, 'Line 2: value must be from 0 to 1000'],
    [{ value: '5' }, 'Line 2: value must be a number'],
    [{ value: null }, 'Line 2: value must be a number, not null'],
    [{ value: undefined }, 'Line 2: value is required unless statistics is set'],
    [
      { statistics: { max: 1 } },
      'Line 2: value is required unless statistics is set; use only one of the two',
    ],
    [{ value: undefined, statistics: {} }, 'Line 2: statistics must have max'],
    [
      { value: undefined, statistics: { max: -1 } },
      'Line 2: statistics.max must be from 0 to 1000',
    ],
    [
      { value: undefined, statistics: { maximum: 1 } },
      'statistics.maximum is not a known field; known fields are min, max',
    ],
    [{ period_seconds: 0 }, 'Line 2: period_seconds must be at least 1'],
    [{ period_seconds: 1e9 }, 'Line 2: period_seconds must be at most 86400'],
    [
      { period_seconds: 3_600 },
      'Line 2: period_seconds must be at most 300 for an average, not 3,600: longer averages hide peaks; use statistics.max',
    ],
    [
      {
        metric: 'memory_available',
        period_seconds: 3_600,
        value: undefined,
        statistics: { max: 3 },
      },
      'Line 2: statistics must have min',
    ],
    [{ metric: 'disk' }, 'Line 2: metric must be one of cpu, memory, memory_available'],
    [{ metric: 'memory', value: 101 }, 'Line 2: value must be from 0 to 100'],
    [{ unit: 'bytes' }, 'Line 2: unit must be percent for cpu'],
    [{ at: '02/28/2026' }, 'Line 2: at must be a UTC time'],
    [{ at: '2026-03-01T14:00:00Z' }, 'Line 2: at is in the future'],
    [
      { resource_id: 'i-0' },
      'Line 2: resource_id is not a virtual machine of the inventory: \\"i-0\\"',
    ],
    [{ __proto__x: 1 }, 'is not a known field'],
  ])('refuses all of it where a line has %j, with line and field', async (more, message) => {
    const got = await sendOne(more);
    expect([got.status, got.json.error]).toEqual([400, 'invalid_metric']);
    expect(got.text).toContain(message);
    expect(got.text).toContain('Nothing was stored');
    expect(await stored()).toEqual([]);
  });

  it('leaves out what is too old, and unknown resources where it is told to, and says so', async () => {
    const lines = [
      point(),
      point({ resource_id: 'i-0' }),
      point({ at: '2025-11-01T00:00:00Z' }),
    ].map((one) => JSON.stringify(one));
    const got = await sendLines(service, lines, '?unknown=skip');
    expect(got.json).toMatchObject({
      points: 3,
      resources: 1,
      left_out: { unknown_resource: 1, too_old: 1, unknown_size: 0 },
    });
    expect(await stored()).toHaveLength(1);
  });

  it('takes an empty upload, which changes nothing', async () => {
    const got = await sendLines(service, ['']);
    expect(got.json).toMatchObject({ points: 0, resources: 0, changed: 0 });
  });

  it('stores nothing of a body that is cut off', async () => {
    async function* body() {
      yield Buffer.from(`${JSON.stringify(point())}\n`);
      throw new Error('gone');
    }
    const work = createUtilization(service.deps);
    const options = {
      actor: { userId: 'u', via: 'k', requestId: 'r' },
      signal: new AbortController().signal,
      body: body(),
      skipsUnknown: false,
    };
    await expect(work.import(options, (run) => service.deps.store.transact(run))).rejects.toThrow(
      'ended early',
    );
    expect(await stored()).toEqual([]);
  });

  it('lets two uploads that change the same hours at once both count', async () => {
    const first = hourly(machineId, 'cpu', '2026-02-20T00:00:00Z', [10]);
    const second = hourly(machineId, 'memory', '2026-02-20T00:00:00Z', [20]);
    const got = await Promise.all([sendMetrics(service, first), sendMetrics(service, second)]);
    expect(got.map(({ status }) => status)).toEqual([200, 200]);
    expect(await stored()).toHaveLength(8);
    expect(await blobsOf(service)).toHaveLength(1);
  });

  it('answers a repeated request with the same answer, once stored', async () => {
    const lines = [JSON.stringify(point())];
    const headers = { 'idempotency-key': 'once' };
    const first = await sendLines(service, lines, '', headers);
    const again = await sendLines(service, lines, '', headers);
    expect([first.json.changed, again.text]).toEqual([1, first.text]);
    expect(await blobsOf(service)).toHaveLength(1);
  });

  it('takes cost:admin', async () => {
    const key = await service.keyWith('cost:read', 'compliance:write', 'governance:read');
    const got = await service.send('POST', '/v1/metrics', {
      key,
      text: JSON.stringify(point()),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(got.status).toBe(403);
  });

  it('is forgotten after some 90 days, with its files', async () => {
    await sendOne({});
    service.advance(98 * 86_400_000);
    await service.maintain();
    expect([await stored(), await blobsOf(service)]).toEqual([[], []]);
  });

  it('removes what an upload of an earlier process left', async () => {
    const writer = await service.deps.store.blobs.create('utl_01left');
    await writer.write(Buffer.from('x'));
    await writer.finish();
    // As the next process does at its start.
    createUtilization(service.deps);
    await expect.poll(() => blobsOf(service)).not.toContain('utl_01left');
  });
});

it('keeps of a large upload only so much in memory, and comes to the same', async () => {
  const spilled = new Map<string, Uint8Array>();
  const spill = {
    write: (bytes: Uint8Array) => {
      const id = String(spilled.size);
      spilled.set(id, bytes.slice());
      return Promise.resolve(id);
    },
    read: (id: string) => Promise.resolve(spilled.get(id) ?? new Uint8Array()),
  };
  const [small, large] = [new Upload(spill, 2_000), new Upload(spill)];
  for (let at = 0; at < 500; at++) {
    const of = { resource: `i-${at % 7}`, metric: 'cpu', size: 'm5.large' } as const;
    const slots = [672 * 10 + ((at * 37) % 1_344), 672 * 10 + ((at * 37) % 1_344) + 2] as const;
    for (const upload of [small, large]) upload.add(of, 1 + ((at * 11) % 200), slots);
    if (small.isFull) await small.makeRoom();
  }
  expect(spilled.size).toBeGreaterThan(10);
  expect(small.places.length).toBe(large.places.length);
  for (const place of large.places) {
    const sorted = async (upload: Upload) =>
      (await upload.seriesIn(place)).toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
    expect(await sorted(small)).toEqual(await sorted(large));
  }
});
