import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachment } from '../../../src/server/http/disposition.ts';

describe('the name under which a file is saved', () => {
  test.each([
    ['First-quarter.pdf', 'attachment; filename="First-quarter.pdf"'],
    [
      'Übersicht-2026.csv.zip',
      `attachment; filename="Ubersicht-2026.csv.zip"; filename*=UTF-8''%C3%9Cbersicht-2026.csv.zip`,
    ],
    ['報告.pdf', `attachment; filename="report.pdf"; filename*=UTF-8''%E5%A0%B1%E5%91%8A.pdf`],
    [
      `a"b\\c'd(e)*.pdf`,
      `attachment; filename="a_b_c_d_e.pdf"; filename*=UTF-8''a%22b%5Cc%27d%28e%29%2A.pdf`,
    ],
    [
      '../../etc/passwd',
      `attachment; filename="etc_passwd"; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`,
    ],
  ])('%s', (name, header) => {
    expect(attachment(name)).toBe(header);
  });

  test('is a header of plain ASCII without a way out of it, whatever the name is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(attachment(name)).toMatch(
          /^attachment; filename="[A-Za-z0-9_-][A-Za-z0-9._-]*"(; filename\*=UTF-8''[\w.!~%-]*)?$/,
        );
      }),
      { numRuns: 50 },
    );
  });
});
