import { describe, expect, it } from 'vitest';
import { describeError } from '../../../src/cli/terminal/report-error.ts';
import { createStyle } from '../../../src/cli/terminal/terminal.ts';
import type { ErrorDetail } from '../../../src/contract/errors.ts';
import { GovctlError } from '../../../src/contract/errors.ts';

const shown = (description: string, details: readonly ErrorDetail[]): string =>
  describeError(
    new GovctlError('invalid_policy', description, { details }),
    createStyle(false),
    false,
  ).text;

describe('an error with details', () => {
  it('says once what both say', () => {
    expect(
      shown('The body is not valid: url must be https', [
        { field: 'url', message: 'must be https' },
      ]),
    ).toBe('error: The body is not valid: url must be https\n  (POL_001)\n');
    expect(
      shown('The body is not JSON: unexpected }', [{ field: 'body', message: 'unexpected }' }]),
    ).toBe('error: The body is not JSON: unexpected }\n  (POL_001)\n');
  });

  it('says once what both say, with and without a capital', () => {
    expect(
      shown('There is no violation viol_x', [
        { field: 'violation_ids[0]', message: 'there is no violation viol_x' },
      ]),
    ).toBe('error: There is no violation viol_x\n  (POL_001)\n');
  });

  it('shows each detail that it does not say itself', () => {
    expect(
      shown('The body is not valid: name is missing (and 1 more)', [
        { field: 'name', message: 'is missing' },
        { field: 'key', message: 'is missing' },
      ]),
    ).toBe(
      'error: The body is not valid: name is missing (and 1 more)\n  key: is missing\n  (POL_001)\n',
    );
    expect(shown('display_name is missing', [{ field: 'name', message: 'is wrong' }])).toContain(
      '  name: is wrong\n',
    );
  });
});
