import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../src/contract/resources.ts';
import type { RawResource } from '../../../src/inventory/model.ts';
import { normaliseAll } from '../../../src/inventory/attributes/normalise.ts';
import { normalisers } from '../../../src/inventory/attributes/types.ts';
import { createPick, oneOf } from '../../support/pick.ts';
import type { Pick } from '../../support/pick.ts';

/** Levels of a made-up document; nothing that is read lies deeper. */
const maxDepth = 6;

const words = [
  ...['', '*', '-1', '443', 'true', 'ENABLED', 'tcp', 'Key', '0.0.0.0/0', '::/0', '__proto__'],
  ...['arn:aws:kms:eu-central-1:1:key/1', 'a.s3.amazonaws.com', '{{resolve:ssm:a}}'],
  ...['{"Statement":[{"Action":{}}]}', '{"a":', '%7B%22Statement%22%3A7%7D', '2026-01-01'],
];

const leaves: readonly unknown[] = [
  ...words,
  ...[null, undefined, true, false, -1, 0, 0.5, 1e308, Number.NaN],
  new UnknownValue('x'),
  new UnknownValue('x', { present: false }),
  new UnknownValue('x', { target: 'r0', attribute: 'Arn' }),
  new UnknownValue('x', { target: 'r1' }),
  new UnknownValue('x', { parameter: { name: 'x', secret: true } }),
  new UnknownValue('x', { text: 'arn:aws:${Service}' }),
];

/** An object that has every field that is asked for, `toString` too, with anything in it. */
function anything(pick: Pick, depth: number): object {
  const fields = new Map<PropertyKey, unknown>();
  const read = (name: PropertyKey): unknown => {
    if (typeof name === 'symbol') return undefined;
    if (!fields.has(name)) fields.set(name, anyValue(pick, depth));
    return fields.get(name);
  };
  const names = (): string[] =>
    ['Statement', 'a', ...fields.keys()].filter(
      (name, index, all): name is string =>
        typeof name === 'string' && read(name) !== undefined && all.indexOf(name) === index,
    );
  return new Proxy(
    {},
    {
      get: (_, name) => read(name),
      has: (_, name) => read(name) !== undefined,
      ownKeys: names,
      getOwnPropertyDescriptor: (_, name) => {
        const value = read(name);
        return value === undefined ? undefined : { value, enumerable: true, configurable: true };
      },
    },
  );
}

function anyValue(pick: Pick, depth: number): unknown {
  const kind = depth > maxDepth ? 0 : pick(10);
  if (kind < 5) return oneOf(pick, leaves);
  if (kind < 7) return anything(pick, depth + 1);
  return Array.from({ length: pick(3) }, () => anyValue(pick, depth + 1));
}

const types = normalisers.flatMap((one) => one.types);

const raw = (pick: Pick, address: string, type: string): RawResource => ({
  address,
  id: address,
  type,
  tags: {},
  properties: anything(pick, 0) as Readonly<Record<string, unknown>>, // a document has fields
  source: {},
  names: [address],
  at: [],
});

describe('whatever stands in a document, it is normalised:', () => {
  const cases = normalisers.flatMap(({ types: [type = ''], from }) =>
    (Object.keys(from) as (keyof typeof from)[]).map((format) => [type, format] as const),
  );

  test.each(cases)('%s of %s', (type, format) => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const pick = createPick(seed);
        const others = ['r1', 'r2'].map((address) => raw(pick, address, oneOf(pick, types)));
        const [read] = normaliseAll([raw(pick, 'r0', type), ...others], format);
        expect(read?.resource.type).toBe(type);
      }),
      { numRuns: 50, endOnFailure: true },
    );
  });
});
