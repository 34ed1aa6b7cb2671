import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyPattern, makeKey, maxKeyLength } from '../../src/project/key.ts';

describe('the key of a policy that gives none', () => {
  it.each([
    ['Encrypt S3 buckets', 'encrypt-s3-buckets'],
    ['  --Clés & Coffres!  ', 'cles-coffres'],
    ['a_b.c/d', 'a-b-c-d'],
  ])('is the slug of its name: %j', (name, key) => {
    expect(makeKey(name)).toBe(key);
  });

  it('is a hash where the name has nothing for a slug', () => {
    expect(makeKey('存储桶加密')).toMatch(/^p-[0-9a-f]{12}$/);
    expect(makeKey('存储桶加密')).not.toBe(makeKey('存储桶'));
  });

  it('is always a valid key, and stays apart for long names that begin alike', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 256, unit: 'grapheme' }), (name) => {
        const key = makeKey(name);
        expect(key).toMatch(keyPattern);
        expect(key.length).toBeLessThanOrEqual(maxKeyLength);
      }),
    );
    expect(makeKey(`${'a'.repeat(200)}1`)).not.toBe(makeKey(`${'a'.repeat(200)}2`));
  });
});
