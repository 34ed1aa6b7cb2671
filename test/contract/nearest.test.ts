import { describe, expect, it } from 'vitest';
import { nearestWord } from '../../src/contract/nearest.ts';

describe('the nearest word', () => {
  const fields = ['name', 'severity', 'enabled', 'resource_type', 'rules', 'tags'];

  it.each([
    ['severty', 'severity'],
    ['Severity', 'severity'],
    ['resource_tpye', 'resource_type'],
    ['tag', 'tags'],
    ['resourcetype', 'resource_type'],
  ])('of %s is %s', (written, nearest) => {
    expect(nearestWord(written, fields)).toBe(nearest);
  });

  it.each(['owner', 'x', '', 'a'.repeat(10_000), '__proto__'])('of %s is none', (written) => {
    expect(nearestWord(written, fields)).toBeUndefined();
  });
});
