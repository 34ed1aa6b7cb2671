import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResourceInput } from '../../../../src/contract/resources.ts';
import { readResourceLine } from '../../../../src/inventory/formats/native/read-line.ts';
import {
  asResource,
  explainResource,
  native,
} from '../../../../src/inventory/formats/native/reader.ts';

describe('a native resource', () => {
  it('gets what is left out, and keeps every attribute that is given', () => {
    expect(asResource({ id: 'a', type: 'AWS::S3::Bucket', encryption: { enabled: true } })).toEqual(
      {
        id: 'a',
        type: 'AWS::S3::Bucket',
        provider: 'aws',
        tags: {},
        properties: {},
        encryption: { enabled: true },
      },
    );
  });

  it.each<[value: unknown, message: RegExp, at: readonly (string | number)[]]>([
    [{ type: 'A::B' }, /id/, ['id']],
    [{ id: 'a', type: 'Bucket' }, /must look like/, ['type']],
    [{ id: 'a', type: 'A::B', tags: { a: 1 } }, /tags/, ['tags', 'a']],
    [{ id: 'a', type: 'A::B', properties: [] }, /properties/, ['properties']],
    [{ id: 'a', type: 'A::B', region: 7 }, /region/, ['region']],
    [7, /./, []],
  ])('that is none is explained: %j', (value, message, at) => {
    expect(asResource(value)).toBeUndefined();
    const [problem] = explainResource(value);
    expect(problem?.message).toMatch(message);
    expect(problem?.at).toEqual(at);
  });

  it('may have more faults than a call takes arguments', () => {
    const tags = Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`t${at}`, 1]));
    const { raws, problems } = native.read({ id: 'a', type: 'AWS::S3::Bucket', tags }, {});
    expect(raws).toEqual([]);
    expect(problems[0]?.message).toContain('must be a string');
  });

  it('is what the schema of the service takes, no more and no less', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('A::B', 'AWS::S3::Bucket', 'x'.repeat(300), 'x'.repeat(3_000)),
      fc.integer(),
      fc.constant(null),
    );
    const fields = fc.record(
      {
        id: text,
        type: fc.oneof(fc.constantFrom('A::B', 'Azure::a/b::c', 'A', 'A::', 'A::*'), text),
        name: text,
        provider: text,
        account_id: text,
        region: text,
        environment: text,
        tags: fc.oneof(fc.dictionary(fc.string(), text), text, fc.array(text)),
        properties: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        more: fc.jsonValue(),
      },
      { requiredKeys: ['id', 'type'] },
    );
    fc.assert(
      fc.property(fc.oneof(fields, fc.jsonValue()), (value) => {
        const read = ResourceInput.safeParse(value);
        expect(asResource(value) !== undefined).toBe(read.success);
        if (read.success) expect(asResource(value)).toMatchObject(read.data);
        else expect(explainResource(value).length).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a line', () => {
  it('is a resource', () => {
    expect(readResourceLine('{"id": "a", "type": "A::B"}\r')).toMatchObject({
      ok: true,
      resource: { id: 'a', type: 'A::B' },
    });
  });

  it.each<[line: string, column: number, message: RegExp]>([
    ['{"id": "a", "type": }', 21, /"}" is not valid here/],
    ['{"id": "a", "type": "A::B"', 27, /the end/],
    ['{"id": "a", "type": "A"}', 13, /must look like/],
    ['{"id": "a", "type": "A::B", "tags": {"x": 1}}', 38, /tags/],
    ['7', 1, /not a JSON object/],
    ['', 1, /the end/],
    [
      `{"id": "a", "type": "A::B", "x": ${'['.repeat(200)}${']'.repeat(200)}}`,
      1,
      /nested more than/,
    ],
  ])('that is none says why, and in which column: %s', (line, column, message) => {
    const read = readResourceLine(line);
    if (read.ok) throw new Error('is a resource');
    expect(read.problem.column).toBe(column);
    expect(read.problem.message).toMatch(message);
  });
});
