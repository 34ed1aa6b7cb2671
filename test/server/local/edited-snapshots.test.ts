import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedBy } from '../../../src/server/local/snapshot.ts';
import { modules } from '../../../src/server/wiring/modules.ts';
import { edited, fillWhole, readAll, rowsOf, startWhole } from './edited-world.ts';
import type { Json, Whole } from './edited-world.ts';

let whole: Whole;
let text: string;
beforeAll(async () => {
  whole = await startWhole();
  text = await fillWhole(whole);
}, 120_000);
afterAll(() => whole.close());

type Path = readonly (string | number)[];

/** The places of all fields of a value, and of the fields in them. */
function* pathsOf(value: unknown, at: Path = []): Generator<Path> {
  if (at.length > 0) yield at;
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, inner] of Object.entries(value)) {
    yield* pathsOf(inner, [...at, isList ? Number(key) : key]);
  }
}

const absent = Symbol('absent');

function put(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Json) }) as Json;
  if (rest.length === 0 && by === absent) delete copy[key];
  else copy[key] = put(copy[key], rest, by);
  return Array.isArray(copy) ? copy.filter(() => true) : copy;
}

const values: readonly unknown[] = [
  ...[absent, null, true, [], {}, [[]], { id: 'x' }, 0, -1, 0.5, 1e9, 1e300],
  ...['', ' ', 'x', 'e30=', '../x', '[', '__proto__', '🪣\u0000', 'x'.repeat(100_000)],
  ...['2026-02-01', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
];

interface Change {
  readonly line: number;
  readonly path: number;
  readonly value: number;
}

/** Rows, files, lanes and sequences with something else in them. */
function changed(lines: readonly string[], changes: readonly Change[]): Map<number, string> {
  const ids = rowsOf(text).map(({ doc }) => doc.id);
  const after = new Map<number, string>();
  for (const { line, path, value } of changes) {
    const at = 1 + (line % (lines.length - 1));
    const before: unknown = JSON.parse(after.get(at) ?? lines[at] ?? '');
    const paths = [...pathsOf(before)];
    const by = value < values.length ? values[value] : ids[value % ids.length];
    after.set(at, JSON.stringify(put(before, paths[path % paths.length] ?? [], by)));
  }
  return after;
}

const restore = (given: string) => whole.send('POST', '/v1/local/restore?clock=snapshot', given);

/** What is answered 5xx, and what of the background work fails over and over. */
async function failuresOf(given: string): Promise<string[]> {
  whole.errors.splice(0);
  const failed = await readAll(whole, rowsOf(given));
  await whole.advance('26h');
  failed.push(...(await readAll(whole, rowsOf(given))));
  const isWork = (error: string): boolean =>
    /^(work|a lane|a report was not sent|unexpected)/.test(error);
  return [...failed, ...whole.errors.filter(isWork)];
}

describe('a snapshot of a server with something of everything', () => {
  it('has rows of every collection', () => {
    const known = storedBy(modules).collections.map(({ spec }) => spec.name);
    expect([...new Set(rowsOf(text).map((row) => row.in))].sort()).toEqual([...known].sort());
  });

  it('restores as it is, and everything can be read and all work ends', async () => {
    expect((await restore(text)).status).toBe(200);
    expect(await failuresOf(text)).toEqual([]);
  });

  /** A change of the first line that has a text. */
  const replaced = (of: string, what: string | RegExp, by: string): string =>
    edited(text, (lines) => {
      const at = lines.findIndex((line) => line.startsWith(of) && line.search(what) > 0);
      expect(at).toBeGreaterThan(0);
      return lines.with(at, lines[at]?.replace(what, by) ?? '');
    });

  it.each([
    [
      'more actions than a plan counts',
      '{"in":"remediations"',
      /"planned":[1-9]\d*/,
      '"planned":0',
    ],
    ['fewer actions than a plan counts', '{"in":"remediations"', /"planned":[1-9]/, '"planned":9'],
    ['links sealed by another', '{"in":"report_deliveries"', /"links":"[^"]*"/, '"links":"x"'],
    [
      'a disabled webhook whose lane is not held',
      '{"of":"webhooks"',
      '"held":true',
      '"held":false',
    ],
    ['a condition that does not compile', '{"in":"policies"', /"condition":"/, '"condition":"('],
  ])('restores with %s, and everything can be read and all work ends', async (_, of, what, by) => {
    const given = replaced(of, what, by);
    expect((await restore(given)).status).toBe(200);
    expect(await failuresOf(given)).toEqual([]);
  });

  it('delivers to an active webhook, though its lane was held', async () => {
    const given = replaced('{"of":"webhooks"', '"held":false', '"held":true');
    expect((await restore(given)).status).toBe(200);
    await whole.advance('26h');
    const { webhooks } = await whole.ok('GET', '/v1/webhooks');
    const waiting = (webhooks as Json[]).filter(({ active }) => active).map((one) => one.waiting);
    expect(waiting.every((count) => count === 0)).toBe(true);
  });

  it('restores with rows that are gone, and everything can be read and all work ends', async () => {
    const gone = [
      'policies',
      'resources',
      'violations',
      'webhooks',
      'events',
      'schedules',
      'scans',
    ];
    const given = edited(text, (lines) =>
      lines.filter((line) => !gone.some((one) => line.startsWith(`{"in":"${one}"`))),
    );
    expect((await restore(given)).status).toBe(200);
    expect(await failuresOf(text)).toEqual([]);
  });

  it.each([
    ['{"in":"webhooks"', /"url":"[^"]*"/, '"url":"nowhere"', 'url must be an http or https URL'],
    ['{"in":"manual_evidence"', '"media_type":"', '"media_type":"🪣', 'must be a media type'],
    [
      '{"of":"schedules"',
      /"work":"[^"]*"/,
      '"work":"sch_x"',
      'does not match the work of the row "sch_',
    ],
    [
      '{"in":"reports"',
      /"id":"[^"]*"/,
      '"id":"../x"',
      'id must contain only letters, digits and _',
    ],
  ])('is refused where %s has %s as %s', async (of, what, by, why) => {
    const { status, text: answer } = await restore(replaced(of, what, by));
    expect([status, answer]).toEqual([
      400,
      expect.stringContaining(JSON.stringify(why).slice(1, -1)),
    ]);
  });

  it('that was edited by hand is refused with the line, or everything can be read and all work ends', async () => {
    const one = fc.record({
      line: fc.nat(100_000),
      path: fc.nat(100_000),
      value: fc.nat(values.length + 5),
    });
    const lines = text.split('\n').slice(0, -2);
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 2 }), async (changes) => {
        const rows = changed(lines, changes);
        const given = edited(text, (all) => all.map((line, at) => rows.get(at) ?? line));
        const { status, text: answer } = await restore(given);
        if (status === 200) {
          expect(await failuresOf(given)).toEqual([]);
          return;
        }
        const { error, error_description: why } = JSON.parse(answer) as Json;
        expect([status, error]).toEqual([400, 'malformed_request']);
        // Whether this server has another such file is only seen once the rows are right.
        expect(why).toMatch(/^The snapshot cannot be restored: (line \d+|the file \S+) /);
      }),
      { numRuns: 25 },
    );
  }, 600_000);
});
