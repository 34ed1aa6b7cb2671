import { describe, expect, test } from 'vitest';
import { hasInputs, readFolder } from './public-inputs.ts';

const folder = 'terraform-plan';

describe.runIf(hasInputs(folder))('public plans and states', () => {
  test('all load, in every encoding and of every version', () => {
    const { failed, resources } = readFolder(folder, 'terraform');
    expect(failed).toEqual([]);
    expect(resources).toBeGreaterThan(300);
  });
});
