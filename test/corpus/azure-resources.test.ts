import { describe, expect, test } from 'vitest';
import { hasInputs, readFolder } from './public-inputs.ts';

const folder = 'azure-resources';

describe.runIf(hasInputs(folder))('public templates and lists of Azure', () => {
  test('load; of two templates a linter is tested with, the resource without a type is named', () => {
    const { failed } = readFolder(folder, 'azure');
    expect(failed.map((one) => one.replace(/^.*\//, ''))).toEqual([
      'Uris-In-PolicyDefinition.json:36:5: a resource needs a type',
      'URI-Using-Format.json:4:9: a resource needs a type',
    ]);
  });
});
