import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCondition } from '../../../src/engine/condition/compile.ts';
import { createSlipFinder } from '../../../src/project/read/check-attributes.ts';

const names = fc.constantFrom(
  ...['resource', 'r', 'now', 'encryption', 'encrypton', 'enabled', 'ingress', 'cidrs', 'cidr'],
  ...['from_port', 'tags', 'name', 'region', 'regon', 'acl', 'properties', 'versioning', 'mine'],
  ...['protocol', 'access', 'AccessControl'],
);
const literals = fc.constantFrom(
  ...['"private"', '"Private"', '"tcp"', '"TCP"', '["allow", "Deny"]', '["Allow"]'],
  ...['"x"', '1', '-1', '2.5', '3u', 'true', 'null', '[]', '["a", "b"]', '[1]', '[r]', '{"a": 1}'],
  ...['duration("1h")', 'int("5")', 'double("x")', 'b"x"', 'string', 'google.protobuf.Timestamp'],
);

const { condition } = fc.letrec<{ attribute: string; value: string; condition: string }>((tie) => ({
  attribute: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('resource', 'resource', 'r', 'resource.ingress', 'resource.encryption'),
    fc.tuple(tie('attribute'), names).map(([of, key]) => `${of}.${key}`),
    fc.tuple(tie('attribute'), names).map(([of, key]) => `${of}["${key}"]`),
    fc.tuple(tie('attribute'), names).map(([of, key]) => `${of}.?${key}`),
    fc.tuple(tie('attribute'), tie('value')).map(([of, at]) => `${of}[${at}]`),
  ),
  value: fc.oneof(
    { maxDepth: 4 },
    literals,
    tie('attribute'),
    tie('attribute'),
    tie('condition'),
    fc.tuple(tie('attribute'), names).map(([of, key]) => `has(${of}.${key})`),
    fc.tuple(tie('value'), tie('value')).map(([a, b]) => `dyn(${a}) + ${b}`),
    fc.tuple(tie('attribute'), tie('value')).map(([of, by]) => `${of}.replace(r, ${by})`),
    fc.tuple(tie('attribute'), tie('value')).map(([of, made]) => `${of}.map(r, ${made})`),
    fc
      .tuple(tie('condition'), tie('value'), tie('value'))
      .map(([test, a, b]) => `(${test} ? dyn(${a}) : ${b})`),
  ),
  condition: fc.oneof(
    { maxDepth: 4 },
    fc
      .tuple(tie('value'), fc.constantFrom('==', '!=', 'in'), tie('value'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc.tuple(tie('attribute'), names).map(([of, key]) => `has(${of}.${key})`),
    fc
      .tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc
      .tuple(tie('attribute'), fc.constantFrom('r', 'resource', 'now'), tie('condition'))
      .map(([of, name, test]) => `${of}.exists(${name}, ${test})`),
  ),
}));

describe('the quick look for slips', () => {
  it('passes over none that the whole search finds', () => {
    const finder = createSlipFinder();
    const types = fc.constantFrom('AWS::EC2::SecurityGroup', 'AWS::S3::Bucket');
    const seen = { looked: 0, found: 0 };
    fc.assert(
      fc.property(condition, types, (source, type) => {
        const quick = compileCondition(source);
        const whole = compileCondition(source);
        if (!quick.ok || !whole.ok) return;
        // Without its tree there is no quick look.
        if (whole.condition.takeTree()) seen.looked++;
        const found = finder.findSlips(quick.condition, type);
        expect(found, source).toEqual(finder.findSlips(whole.condition, type));
        if (found.length > 0) seen.found++;
      }),
      { numRuns: 2_000 },
    );
    expect(seen.looked).toBeGreaterThan(100);
    expect(seen.found).toBeGreaterThan(100);
  });
});
