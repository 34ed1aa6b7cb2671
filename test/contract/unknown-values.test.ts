import { describe, expect, it } from 'vitest';
import { UnknownValue } from '../../src/contract/resources.ts';
import type { Resource } from '../../src/contract/resources.ts';
import { recordUnknown, restoreUnknown } from '../../src/contract/unknown-values.ts';

const unknown = new UnknownValue('Ref Key');
const uncertain = new UnknownValue('Condition Prod', { present: false });
const given = { id: 'a', type: 'AWS::X::Y', provider: 'aws', tags: {}, properties: {} };

/** As a service stores it, and evaluates it later. */
const throughJson = (resource: Resource): Resource =>
  restoreUnknown(JSON.parse(JSON.stringify(recordUnknown(resource).resource)) as Resource);

describe('unknown values of a resource', () => {
  it('come back in their places after the resource was JSON', () => {
    const read = throughJson({
      ...given,
      source: { format: 'x' },
      runtime: unknown,
      role: uncertain,
      encryption: { key: unknown, enabled: true },
      backup: { retention: { days: unknown } },
      rules: [{ from: 22, cidrs: unknown }, { from: 443 }],
      tags: { 'a/b~c': unknown, team: 'x' },
    });
    const set = expect.objectContaining({ present: true }) as unknown;
    expect(read).toMatchObject({
      runtime: set,
      role: { present: false },
      encryption: { key: set, enabled: true },
      backup: { retention: { days: set } },
      rules: [{ from: 22, cidrs: set }, { from: 443 }],
      tags: { 'a/b~c': set, team: 'x' },
    });
    expect(read['runtime']).toBeInstanceOf(UnknownValue);
  });

  it('make a list unknown as a whole, which would pass for the list of the others', () => {
    expect(throughJson({ ...given, list: [1, unknown] })['list']).toBeInstanceOf(UnknownValue);
  });

  it('come back where the service stores an empty object instead of nothing', () => {
    const stored = recordUnknown({ ...given, tags: unknown }).resource;
    const read = restoreUnknown({ ...stored, tags: {} } as unknown as Resource);
    expect(read.tags).toBeInstanceOf(UnknownValue);
  });

  it('give way to a value that was set since', () => {
    const stored = recordUnknown({ ...given, encryption: { enabled: unknown } }).resource;
    const read = restoreUnknown({
      ...stored,
      encryption: { enabled: true },
    } as unknown as Resource);
    expect(read['encryption']).toEqual({ enabled: true });
  });

  it('leave a resource as it is that has none, or a source of another shape', () => {
    for (const source of [undefined, 'git', [], { unknown: 'x' }, { unknown: [1, 'a', null] }]) {
      const resource = { ...given, source };
      expect(restoreUnknown(resource)).toBe(resource);
      expect(recordUnknown(resource).resource).toBe(resource);
    }
  });

  it('set own attributes only, whatever their names', () => {
    const source = { unknown: ['/__proto__/polluted', '/id', '/constructor/prototype/polluted'] };
    const read = restoreUnknown({ ...given, source });
    expect(read.id).toBe('a');
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('take time that grows with the resource, however many are in one list', () => {
    const items = Array.from({ length: 50_000 }, (_, at) => ({ at }));
    const source = { unknown: items.map((_, at) => `/items/${at}/value`) };
    const { items: read } = restoreUnknown({ ...given, items, source }) as unknown as {
      items: { value: unknown }[];
    };
    expect(read.every(({ value }) => value instanceof UnknownValue)).toBe(true);
    const deep = { unknown: ['/a'.repeat(100_000)] };
    expect(restoreUnknown({ ...given, source: deep })).not.toHaveProperty('a');
  });
});
