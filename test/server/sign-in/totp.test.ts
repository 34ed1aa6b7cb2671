import { describe, expect, it } from 'vitest';
import { base32, stepOf, totpAt, totpUri } from '../../../src/server/sign-in/totp.ts';

const secret = Buffer.from('12345678901234567890');

describe('codes of a second factor', () => {
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('are at %i s what RFC 6238 has (appendix B)', (seconds, code) => {
    expect(totpAt(secret, seconds * 1_000, 8)).toBe(code);
    expect(totpAt(secret, seconds * 1_000)).toBe(code.slice(2));
  });

  it('are those of RFC 4226 (appendix D)', () => {
    const codes = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489';
    expect(codes.split(' ').map((_, at) => totpAt(secret, at * 30_000))).toEqual(codes.split(' '));
  });

  it('are good a step before and after, and once', () => {
    const now = 1_234_567_890_000;
    const at = (ms: number) => stepOf(secret, totpAt(secret, now + ms), { now, used: -1 });
    const step = at(0) ?? 0;
    expect([at(-30_000), at(30_000)]).toEqual([step - 1, step + 1]);
    expect([at(-60_000), at(60_000)]).toEqual([undefined, undefined]);
    const again = (ms: number, used: number) =>
      stepOf(secret, totpAt(secret, now + ms), { now, used });
    expect(again(0, step)).toBeUndefined();
    expect(again(-30_000, step)).toBeUndefined();
    expect(again(30_000, step)).toBe(step + 1);
    for (const odd of ['', '00000', '0000000', 'abcdef', '１２３４５６']) {
      expect(stepOf(secret, odd, { now, used: -1 })).toBeUndefined();
    }
  });
});

describe('secrets of a second factor', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('%j is written as RFC 4648 has it', (text, written) => {
    expect(base32(Buffer.from(text))).toBe(written);
  });

  it('come as a URI that apps read', () => {
    expect(totpUri(secret, 'govctl example.com', 'ann@example.com')).toBe(
      'otpauth://totp/govctl%20example.com:ann%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=govctl%20example.com',
    );
  });
});
