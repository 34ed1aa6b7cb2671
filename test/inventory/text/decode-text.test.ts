import { expect, it } from 'vitest';
import { decodeText } from '../../../src/inventory/text/decode-text.ts';

const text = '{"a": "ä€𝄞"}\n';
const little = Buffer.from(text, 'utf16le');
const big = Buffer.from(little).swap16();

it.each<[string, Uint8Array]>([
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16 LE with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), little])],
  ['UTF-16 BE with a byte order mark', Buffer.concat([Buffer.from([0xfe, 0xff]), big])],
  ['UTF-16 LE', little],
  ['UTF-16 BE', big],
])('%s is decoded', (_, bytes) => {
  expect(decodeText(bytes)).toEqual({ ok: true, text });
});

it('bytes that are no text are a problem at the first of them', () => {
  const bytes = Buffer.concat([Buffer.from('a: ä\nb: '), Buffer.from([0xe4, 0x20])]);
  expect(decodeText(bytes)).toEqual({
    ok: false,
    problem: {
      message: 'the input is not UTF-8 text from this point on; save it as UTF-8',
      line: 2,
      column: 4,
    },
  });
});

it('nothing is an empty text', () => {
  expect(decodeText(new Uint8Array())).toEqual({ ok: true, text: '' });
});
