import { describe, expect, test } from 'vitest';
import { fingerprintOf } from '../../../src/project/check/baseline.ts';

describe('a baseline of an earlier build still accepts errors', () => {
  const undecided = (message: string): string =>
    fingerprintOf(
      {
        policy: 'versioning',
        resource: 'Uploads',
        resource_type: 'AWS::S3::Bucket',
        status: 'ERROR',
        severity: 'MEDIUM',
        rules: [{ index: 0, effect: 'DENY', message }],
        reason: 'unknown_value',
      },
      'template.yaml',
    );
  test.each([
    ['resource.a is not known: Ref A', 'resource.a is not known before the deployment: Ref A'],
    ['the result overflows a 64-bit uint', 'the result is beyond a 64-bit uint'],
    ['the duration exceeds 292 years', 'the duration is beyond 292 years'],
    [
      'resource.a is not known: a value of a computed map',
      'resource.a is not known before the deployment: a value of a map that is put together',
    ],
    [
      'resource.a is not known: whether the image supports Shielded VM',
      'resource.a is not known before the deployment: whether the image can be a shielded machine',
    ],
    [
      'resource.a is missing: if it can be missing, test has(resource.a) in the condition',
      'resource.a is missing: use has(resource.a) in the condition where it may be missing',
    ],
    ['int() cannot parse this string', "int() can't read this text"],
    ['string(): the bytes are not valid UTF-8', 'string(): the bytes are not UTF-8'],
    ['format(): %d does not accept string', 'format(): %d does not take string'],
    ['charAt(): 9 is outside the string', 'charAt(): 9 is outside the text'],
    [
      'the pattern is not a valid RE2 regular expression',
      'the pattern is not a regular expression (RE2)',
    ],
    [
      'join() requires strings, not int',
      "join() of a list with an item that can't be applied to int",
    ],
    [
      'duplicate or invalid map key of type list',
      "a map literal with this key or a duplicate key can't be applied to list",
    ],
    ['value() of an empty optional', 'value() of an optional that has none'],
    [
      'the string is not a duration such as 36h or 1h30m',
      'the text is not a duration such as 36h or 1h30m',
    ],
  ])('that said it otherwise: %s', (now, before) => {
    expect(undecided(now)).toBe(undecided(before));
  });

  test('but none of something else', () => {
    expect(undecided('resource.a is not known: Ref A')).not.toBe(
      undecided('resource.a is not known: Ref B'),
    );
  });
});
