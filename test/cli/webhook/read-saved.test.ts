import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDelivery, parseHeaders, parseRequest } from '../../../src/cli/webhook/read-saved.ts';
import { GovctlError } from '../../../src/contract/errors.ts';

const refuses = (work: () => unknown): boolean => {
  try {
    work();
    return false;
  } catch (error) {
    if (error instanceof GovctlError && error.error === 'invalid_file') return true;
    throw error;
  }
};

describe('a saved request', () => {
  it('gives back the headers and the bytes that were saved, in either line ending', () => {
    const name = fc.stringMatching(/^[A-Za-z-]{1,12}$/).map((text) => `x${text}`);
    const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { minLength: 1 }),
        fc.uint8Array(),
        fc.constantFrom('\r\n', '\n'),
        fc.boolean(),
        (headers, body, end, hasLine) => {
          const lines = headers.map(([one, text]) => `${one}: ${text}`);
          const head = [...(hasLine ? ['POST / HTTP/1.1'] : []), ...lines].join(end);
          const saved = parseRequest('r', Buffer.concat([Buffer.from(head + end + end), body]));
          expect(saved.headers).toEqual(headers);
          expect(Buffer.from(saved.body).equals(Buffer.from(body))).toBe(true);
        },
      ),
    );
  });

  it('is refused where it is none, and in no other way', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom(
        '{',
        '[',
        '[[]]',
        '[null]',
        '{"a":{}}',
        '{"a":[[]]}',
        'a',
        ':',
        'a:b',
        '\n\n',
      ),
    );
    fc.assert(
      fc.property(anything, fc.uint8Array(), (text, bytes) => {
        refuses(() => parseHeaders('h', text));
        refuses(() => parseRequest('r', Buffer.from(bytes)));
        refuses(() => parseDelivery('r', Buffer.from(bytes)));
        refuses(() => parseDelivery('r', Buffer.from(`{"headers": ${text}, "body": ""}`)));
        refuses(() => parseRequest('r', Buffer.from(`${text}\n\n${text}`)));
      }),
    );
    expect(refuses(() => parseRequest('r', Buffer.from('no blank line')))).toBe(true);
  });
});
