import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { createSigner, createVerifier, httpbis } from 'http-message-signatures';
import { describe, expect, it } from 'vitest';
import { GovctlError } from '../../src/contract/errors.ts';
import {
  formatContentDigest,
  newSignatureInput,
  readContentDigest,
  readSignature,
  signatureBase,
  signatureHeaders,
  signedComponents,
} from '../../src/contract/request-signature.ts';
import type { SignableRequest } from '../../src/contract/request-signature.ts';
import { isInnerList, parseDictionary } from '../../src/contract/structured-fields.ts';

interface Plain {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}

const seen = ({ method, url, headers }: Plain): SignableRequest => ({
  method,
  url,
  header: (name) => new Headers(headers).get(name),
});

const hmac = (secret: string | Buffer, base: string): Buffer =>
  createHmac('sha256', secret).update(base).digest();

const request: Plain = {
  method: 'POST',
  url: 'https://governance.example.com/v1/policies?dry_run=true',
  headers: {
    authorization: 'Bearer gk_abcd',
    'content-type': 'application/json',
    'content-digest': formatContentDigest(createHash('sha256').update('{}').digest()),
  },
};

function sign(
  plain: Plain,
  secret: string,
  { created = 1_700_000_000, nonce = 'n-1' } = {},
): Plain {
  const input = newSignatureInput({ created, nonce, keyId: 'key_1' });
  const signature = hmac(secret, signatureBase(seen(plain), input));
  return { ...plain, headers: { ...plain.headers, ...signatureHeaders(input, signature) } };
}

/** What is wrong with a signature, or undefined. */
function problem(plain: Plain, secret = 'secret'): string | undefined {
  try {
    const { input, signature } = readSignature(seen(plain), (keyId) => keyId === 'key_1');
    const isRight = hmac(secret, signatureBase(seen(plain), input)).equals(signature);
    return isRight ? undefined : 'another HMAC';
  } catch (error) {
    if (error instanceof GovctlError && error.error === 'signature_invalid') return error.message;
    throw error;
  }
}

const withHeaders = (plain: Plain, headers: Record<string, string | undefined>): Plain => ({
  ...plain,
  headers: Object.fromEntries(
    Object.entries({ ...plain.headers, ...headers }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  ),
});

describe('the signature base', () => {
  it('is that of RFC 9421, B.2.5, byte for byte', () => {
    const secret = Buffer.from(
      'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==',
      'base64',
    );
    const example = seen({
      method: 'POST',
      url: 'https://example.com/foo?param=Value&Pet=dog',
      headers: { date: 'Tue, 20 Apr 2021 02:07:55 GMT', 'content-type': 'application/json' },
    });
    const input = parseDictionary(
      'sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
    );
    const list = typeof input === 'string' ? undefined : input.get('sig-b25');
    if (!list || !isInnerList(list)) throw new Error('not read');
    const base = signatureBase(example, list);
    expect(base).toBe(
      [
        '"date": Tue, 20 Apr 2021 02:07:55 GMT',
        '"@authority": example.com',
        '"content-type": application/json',
        '"@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
      ].join('\n'),
    );
    expect(hmac(secret, base).toString('base64')).toBe(
      'pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=',
    );
  });
});

const printable = fc.string({
  unit: fc.constantFrom(...' !"#\\$%&\'()*+,-./09:;<=>?@AZ[]^_`az{|}~'),
});
const word = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~'), minLength: 1, maxLength: 20 });
const requests = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD'),
  url: fc
    .tuple(
      fc.constantFrom('https://a.example', 'http://127.0.0.1:8080'),
      fc.array(word),
      fc.option(word),
    )
    .map(
      ([origin, parts, query]) =>
        `${origin}/${parts.join('/')}${query === null ? '' : `?q=${query}`}`,
    )
    .filter((url) => new URL(url).href === url),
  body: fc.string(),
  token: word,
  nonce: printable.filter((nonce) => nonce !== '' && nonce.length <= 128),
  created: fc.integer({ min: 1, max: 4_000_000_000 }),
});

describe('a signed request', () => {
  it('is right to another implementation of RFC 9421', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, url, body, token, nonce, created }) => {
        const digest = createHash('sha256').update(body).digest();
        const headers = {
          authorization: `Bearer ${token}`,
          'content-digest': formatContentDigest(digest),
        };
        const signed = sign({ method, url, headers }, 'secret', { created, nonce });
        const verify = createVerifier('secret', 'hmac-sha256');
        const isRight = await httpbis.verifyMessage(
          {
            keyLookup: async (params) =>
              params.keyid === 'key_1' && params.nonce === nonce
                ? { id: 'key_1', algs: ['hmac-sha256'], verify }
                : null,
            notAfter: created,
            requiredFields: [...signedComponents],
          },
          signed,
        );
        expect(isRight).toBe(true);
        expect(problem(signed)).toBeUndefined();
        expect([...readContentDigest(seen(signed))]).toEqual([...digest]);
      }),
    );
  });

  it('may come from another implementation, with the components and parameters in any order, and more of both', async () => {
    const more = ['@authority', '@scheme', '@path', '@query', 'content-type', 'date'];
    await fc.assert(
      fc.asyncProperty(
        requests,
        fc.shuffledSubarray(more).chain((some) => {
          const fields = [...signedComponents, ...some];
          return fc.shuffledSubarray(fields, { minLength: fields.length });
        }),
        fc.shuffledSubarray(['created', 'nonce', 'keyid', 'alg', 'expires', 'tag'], {
          minLength: 6,
        }),
        async ({ method, url, body, token, nonce, created }, fields, params) => {
          const signed = await httpbis.signMessage(
            {
              key: createSigner('secret', 'hmac-sha256', 'key_1'),
              fields,
              params,
              paramValues: { nonce, created: new Date(created * 1_000), tag: 'app' },
            },
            {
              method,
              url,
              headers: {
                authorization: `Bearer ${token}`,
                date: 'Tue, 20 Apr 2021 02:07:55 GMT',
                'content-type': 'application/json',
                'content-digest': formatContentDigest(createHash('sha256').update(body).digest()),
              },
            },
          );
          expect(problem(signed as Plain)).toBeUndefined();
          expect(problem(signed as Plain, 'another')).toBe('another HMAC');
        },
      ),
    );
  });

  it('is another one once anything that decides what it does is changed', () => {
    const signed = sign(request, 'secret');
    expect(problem(signed)).toBeUndefined();
    const others: Plain[] = [
      { ...signed, method: 'PUT' },
      { ...signed, url: 'https://governance.example.com/v1/policies?dry_run=false' },
      { ...signed, url: 'http://governance.example.com/v1/policies?dry_run=true' },
      withHeaders(signed, { authorization: 'Bearer gk_else' }),
      withHeaders(signed, { 'content-digest': 'sha-256=:AAAA:' }),
      withHeaders(signed, {
        'signature-input': signed.headers['signature-input']?.replace('=1700000000', '=1700000001'),
      }),
      withHeaders(signed, {
        'signature-input': signed.headers['signature-input']?.replace('n-1', 'n-2'),
      }),
    ];
    for (const other of others) expect(problem(other)).toBe('another HMAC');
  });

  it('is read the same when it is spaced as structured fields allow', () => {
    const signed = sign(request, 'secret');
    const spaced = withHeaders(signed, {
      'signature-input': ` ${signed.headers['signature-input']?.replaceAll(';', ';  ').replace('("@method" ', '(  "@method"   ') ?? ''}`,
    });
    expect(problem(spaced)).toBeUndefined();
  });

  it("may also carry a proxy's own signature", () => {
    const signed = sign(request, 'secret');
    const both = withHeaders(signed, {
      'signature-input': `proxy=("@method");keyid="edge", ${signed.headers['signature-input'] ?? ''}`,
      signature: `${signed.headers.signature ?? ''}, proxy=:AAAA:`,
    });
    expect(problem(both)).toBeUndefined();
  });

  const input = (change: (text: string) => string) => (plain: Plain) =>
    withHeaders(plain, { 'signature-input': change(plain.headers['signature-input'] ?? '') });
  const without = (name: string) => input((text) => text.replace(`"${name}"`, ''));

  it.each<[string, (plain: Plain) => Plain, string]>([
    [
      'no Signature-Input',
      (one) => withHeaders(one, { 'signature-input': undefined }),
      'The request has no header signature-input',
    ],
    [
      'no Signature',
      (one) => withHeaders(one, { signature: undefined }),
      'The request has no header signature',
    ],
    ['no @method', without('@method'), 'The signature does not cover "@method"'],
    ['no @target-uri', without('@target-uri'), 'The signature does not cover "@target-uri"'],
    ['no digest', without('content-digest'), 'The signature does not cover "content-digest"'],
    ['no authorization', without('authorization'), 'The signature does not cover "authorization"'],
    [
      'a component twice',
      input((text) => text.replace('"@method"', '"@method" "@method"')),
      'The component "@method" is duplicated',
    ],
    [
      'a component with parameters',
      input((text) => text.replace('"@method"', '"@method";req')),
      'The component "@method" must have no parameters',
    ],
    [
      'a component without quotes',
      input((text) => text.replace('"content-digest"', 'content-digest')),
      'The components of a signature are strings, such as "@method"',
    ],
    [
      'an unknown component',
      input((text) => text.replace('("', '("@status" "')),
      'The component "@status" cannot be signed here',
    ],
    [
      'a name of a prototype',
      input((text) => text.replace('("', '("__proto__" "')),
      'The signature covers "__proto__", a header that the request does not have',
    ],
    [
      'a header in upper case',
      input((text) => text.replace('("', '("Content-Type" "')),
      'The component "Content-Type" cannot be signed here',
    ],
    [
      'a header that is not there',
      input((text) => text.replace('("', '("date" "')),
      'The signature covers "date", a header that the request does not have',
    ],
    [
      'the signature parameters as a component',
      input((text) => text.replace('("', '("@signature-params" "')),
      'The component "@signature-params" cannot be signed here',
    ],
    ['a quote that is missing', input((text) => text.replace('n-1"', 'n-1')), 'a string in quotes'],
    [
      'a bracket that is missing',
      input((text) => text.replace(')', '')),
      'a space or ")" is expected',
    ],
    [
      'components that touch',
      input((text) => text.replace('" "', '""')),
      'a space or ")" is expected',
    ],
    ['a comma at the end', input((text) => `${text},`), 'the field ends with a comma'],
    ['a parameter twice', input((text) => `${text};nonce="n-2"`), '";nonce" is duplicated'],
    [
      'another alg',
      input((text) => text.replace('hmac-sha256', 'none')),
      'The signature must have alg="hmac-sha256", not none',
    ],
    [
      'no alg',
      input((text) => text.replace(';alg="hmac-sha256"', '')),
      'The signature must have alg="hmac-sha256"',
    ],
    [
      'no nonce',
      input((text) => text.replace(';nonce="n-1"', '')),
      'The signature has no nonce="…" of 1 to 128 characters',
    ],
    [
      'an empty nonce',
      input((text) => text.replace('"n-1"', '""')),
      'The signature has no nonce="…" of 1 to 128 characters',
    ],
    [
      'a nonce that is very long',
      input((text) => text.replace('n-1', 'n'.repeat(129))),
      'The signature has no nonce="…" of 1 to 128 characters',
    ],
    [
      'no time',
      input((text) => text.replace(/created=\d+/, 'created')),
      'The signature has no created parameter (Unix time in seconds)',
    ],
    [
      'a time in quotes',
      input((text) => text.replace(/created=(\d+)/, 'created="$1"')),
      'The signature has no created parameter (Unix time in seconds)',
    ],
    [
      'a time with a fraction',
      input((text) => text.replace(/created=(\d+)/, 'created=$1.5')),
      'a string in quotes, an integer',
    ],
    [
      'another keyid',
      input((text) => text.replace('key_1', 'key_2')),
      'No signature has the keyid of this API key',
    ],
    [
      'no keyid',
      input((text) => text.replace(';keyid="key_1"', '')),
      'No signature has the keyid of this API key',
    ],
    [
      'an item in place of a list',
      input(() => 'sig="@method"'),
      '"sig" of signature-input is not a list of components in parentheses',
    ],
    [
      'a header that is very long',
      input((text) => `${text};x="${'x'.repeat(5_000)}"`),
      'The header signature-input is longer than 4,096 characters',
    ],
    [
      'the same header twice',
      (one) =>
        withHeaders(one, {
          signature: `${one.headers.signature ?? ''}, ${one.headers.signature ?? ''}`,
        }),
      '"sig" is duplicated',
    ],
    [
      'two signatures by this key',
      input((text) => `${text}, other${text.slice(3)}`),
      'The request has more than one signature with the keyid of this key',
    ],
    [
      'a signature under another label',
      (one) => withHeaders(one, { signature: one.headers.signature?.replace('sig', 'gis') }),
      'The header signature has no bytes for "sig"',
    ],
    [
      'a signature in quotes',
      (one) => withHeaders(one, { signature: 'sig="AAAA"' }),
      'The header signature has no bytes for "sig"',
    ],
    [
      'a signature that is no base64',
      (one) => withHeaders(one, { signature: 'sig=:AAA:' }),
      'The header signature is not a structured field',
    ],
    [
      'a signature that is short',
      (one) => withHeaders(one, { signature: 'sig=:AAAA:' }),
      'another HMAC',
    ],
    [
      'a signed header beyond ASCII',
      (one) => withHeaders(input((text) => text.replace('("', '("x" "'))(one), { x: 'é' }),
      'The header "x" is signed, but contains non-ASCII characters',
    ],
  ])('with %s is refused, saying so', (_, change, said) => {
    expect(problem(change(sign(request, 'secret')))).toContain(said);
  });

  it.each([
    '',
    'sha-512=:AAAA:',
    'sha-256=:AAAA:',
    'sha-256="x"',
    'sha-256=(:AAAA:)',
    'sha-256',
    'x',
  ])('has no digest in Content-Digest: %s', (value) => {
    const broken = withHeaders(request, { 'content-digest': value });
    expect(() => readContentDigest(seen(broken))).toThrow(/content-digest/);
  });

  it('is read in linear time, whatever the header contains', () => {
    for (const text of [
      '("'.repeat(2_000),
      ';a'.repeat(2_000),
      ' '.repeat(4_000),
      'a=('.repeat(1_300),
      'a,'.repeat(2_000),
    ]) {
      expect(problem(input(() => `sig=${text}`)(sign(request, 'secret')))).toBeTypeOf('string');
    }
  });
});
