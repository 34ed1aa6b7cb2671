import { generateKeyPairSync } from 'node:crypto';
import { SignJWT, exportJWK, exportSPKI, importJWK } from 'jose';
import type { CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';
import { audience, createFakeIssuer, github, jobClaims } from '../server/trusts/fake-issuer.ts';
import type { FakeIssuer } from '../server/trusts/fake-issuer.ts';

/** One service and one issuer for all: a refused token changes nothing. */
let service: TestService;
let issuer: FakeIssuer;
beforeAll(async () => {
  issuer = await createFakeIssuer(() => service.deps.clock.now());
  service = await startTestService({ receive: (...sent) => issuer.send(...sent) });
  const rules = [
    { repository: 'acme/policies', ref: 'refs/heads/main' },
    { repository: 'acme/other', ref: 'refs/heads/secret-branch', environment: 'secret-env' },
  ];
  for (const rule of rules) {
    const body = { name: 'CI', provider: 'github', scopes: ['governance:read'], ...rule };
    expect((await service.send('POST', '/v1/trusts', { body })).status).toBe(201);
  }
});
afterAll(() => service.close());

const exchange = async (token: string): Promise<unknown[]> => {
  const { status, json } = await service.send('POST', '/auth/token', {
    key: null,
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      subject_token: token,
    },
  });
  return status === 200 ? [200] : [status, json.error, json.error_description];
};
const sent = async (claims: object = {}, header: object = {}): Promise<unknown[]> =>
  exchange(await issuer.sign({ ...claims }, { ...header }));
const refused = (words: string) => [400, 'invalid_grant', expect.stringContaining(words)];
const now = (): number => Math.floor(service.deps.clock.now() / 1_000);
const claimsNow = () => ({
  iss: github,
  aud: audience,
  iat: now(),
  exp: now() + 300,
  ...jobClaims,
});
const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

describe('the ID token of a CI job', () => {
  it('that is right gets in', async () => {
    expect(await sent()).toEqual([200]);
  });

  it.each<[string, object]>([
    ['another repository', { repository: 'mallory/policies', repository_id: '666' }],
    ['a fork', { repository: 'mallory/policies', repository_owner: 'mallory' }],
    ['a repository whose name begins so', { repository: 'acme/policies-2' }],
    ['a repository whose name looks like it', { repository: 'ac\u0441me/policies' }],
    ['no repository', { repository: undefined }],
    ['many repositories', { repository: ['acme/policies'] }],
  ])('of %s is refused without a word about rules', async (_, claims) => {
    const [status, error, words] = await sent(claims);
    expect([status, error]).toEqual([400, 'invalid_grant']);
    expect(words).toBe('No trust rule matches the repository of this job');
  });

  it('learns what the rules of its own repository ask for, and of no other', async () => {
    const [, , words] = await sent({ ref: 'refs/heads/dev' });
    expect(words).toContain('ref is refs/heads/dev, not refs/heads/main');
    expect(words).not.toContain('secret');
  });

  it.each<[string, object, string]>([
    ['another branch', { ref: 'refs/heads/dev' }, 'ref is'],
    ['a tag of the same name', { ref: 'refs/tags/main' }, 'ref is'],
    ['a pull request', { ref: 'refs/pull/7/merge', event_name: 'pull_request' }, 'ref is'],
    ['no ref', { ref: undefined }, 'ref is absent'],
    ['pull_request_target', { event_name: 'pull_request_target' }, 'event_name is'],
    ['an event that the rule does not name', { event_name: 'issue_comment' }, 'event_name is'],
    ['no event', { event_name: undefined }, 'event_name is absent'],
  ])('of %s is refused', async (_, claims, words) => {
    expect(await sent(claims)).toEqual(refused(words));
  });

  it.each<[string, unknown]>([
    ['GitHub’s default', 'https://github.com/acme'],
    ['another server', 'https://other.test'],
    ['an address below this server', `${audience}/other`],
    ['a server whose name begins so', `${audience}.evil.test`],
    ['this server and another one', [audience, 'https://other.test']],
    ['nobody', undefined],
    ['an empty list', []],
  ])('for %s is refused', async (_, aud) => {
    expect(await sent({ aud })).toEqual(refused('this server accepts only https://govctl.test'));
  });

  it('of an issuer that no rule names is refused, and the issuer is not asked', async () => {
    const before = issuer.asked.length;
    for (const iss of ['http://169.254.169.254', 'https://evil.test', `${github}/`, undefined]) {
      expect((await sent({ iss }))[1]).toBe('invalid_grant');
    }
    expect(issuer.asked).toHaveLength(before);
  });

  it('is valid from its times on, and up to them, with a minute for clocks that differ', async () => {
    const at = now();
    expect(await sent({ exp: at - 59 })).toEqual([200]);
    expect(await sent({ exp: at - 61 })).toEqual(refused('expired at 2026-03-01T11:58:59.000Z'));
    expect(await sent({ nbf: at + 59 })).toEqual([200]);
    expect(await sent({ nbf: at + 61 })).toEqual(refused('not valid before'));
    expect(await sent({ iat: at + 59 })).toEqual([200]);
    expect(await sent({ iat: at + 61 })).toEqual(refused('in the future'));
    expect(await sent({ iat: at - 3_659, exp: at + 99 })).toEqual([200]);
    expect(await sent({ iat: at - 3_661, exp: at + 99 })).toEqual(refused('more than an hour ago'));
    for (const claim of ['exp', 'iat']) {
      for (const value of [undefined, '99999999999', null, true]) {
        expect([claim, value, (await sent({ [claim]: value }))[1]]).toEqual([
          claim,
          value,
          'invalid_grant',
        ]);
      }
    }
  });

  it('without a signature is refused', async () => {
    const body = encoded(claimsNow());
    for (const alg of ['none', 'None', 'NONE', '']) {
      const head = encoded({ alg, typ: 'JWT' });
      for (const end of ['.', '', '.AA']) {
        expect((await exchange(`${head}.${body}${end}`))[1]).toBe('invalid_grant');
      }
    }
    const [head, signed] = (await issuer.sign()).split('.');
    expect(await exchange(`${head ?? ''}.${signed ?? ''}.`)).toEqual(refused('signature'));
  });

  it('that is signed with the public key as a secret is refused', async () => {
    const jwk = issuer.publicKey();
    const secrets = [
      await exportSPKI((await importJWK(jwk, 'RS256', { extractable: true })) as CryptoKey),
      JSON.stringify(jwk),
      jwk.n ?? '',
    ];
    for (const secret of secrets) {
      for (const alg of ['HS256', 'HS512']) {
        const token = await new SignJWT(claimsNow())
          .setProtectedHeader({ alg, kid: jwk.kid ?? '' })
          .sign(Buffer.from(secret.padEnd(64, ' ')));
        expect(await exchange(token)).toEqual(refused('must be signed with RS256 or ES256'));
      }
    }
  });

  it('that brings its own key, or names an address of one, is refused, and no address is asked', async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const jwk = await exportJWK(pair.publicKey);
    const { kid } = issuer.publicKey();
    const before = issuer.asked.length;
    for (const header of [
      { kid },
      { kid, jwk },
      { kid, jku: 'https://evil.test/jwks' },
      { kid, x5u: 'https://evil.test/cert' },
      { kid, x5c: ['MIIB'] },
      { kid: '../../../dev/null' },
      { kid: `${github}/.well-known/jwks` },
      { jwk },
      { kid: '__proto__' },
    ]) {
      const token = await new SignJWT(claimsNow())
        .setProtectedHeader({ alg: 'RS256', ...header } as { alg: string })
        .sign(pair.privateKey);
      expect((await exchange(token))[1]).toBe('invalid_grant');
    }
    expect(issuer.asked.slice(before).filter((url) => !url.startsWith(github))).toEqual([]);
  });

  it.each<[string, object]>([
    ['an unknown critical header', { crit: ['exp2'], exp2: 1 }],
    ['another algorithm of the same key', { alg: 'PS256' }],
  ])('with %s is refused', async (_, header) => {
    const token = await issuer.sign().then((signed) => {
      const [head = '', ...rest] = signed.split('.');
      const fields = JSON.parse(Buffer.from(head, 'base64url').toString()) as object;
      return [encoded({ ...fields, ...header }), ...rest].join('.');
    });
    expect((await exchange(token))[1]).toBe('invalid_grant');
  });

  it('that was changed after it was signed is refused', async () => {
    const [head = '', , signature = ''] = (await issuer.sign({ ref: 'refs/heads/dev' })).split('.');
    const token = [head, encoded(claimsNow()), signature].join('.');
    expect(await exchange(token)).toEqual(refused('The signature of the ID token is not valid'));
  });

  it.each([
    ['no JWT', 'x'],
    ['dots', '...'],
    ['a JWE', 'a.b.c.d.e'],
    ['a list as claims', `${encoded({ alg: 'RS256' })}.${encoded([])}.AA`],
    ['deep claims', `${encoded({ alg: 'RS256' })}.${Buffer.from('['.repeat(30_000)).toString('base64url')}.AA`], // prettier-ignore
    ['a prototype', `${encoded({ alg: 'RS256' })}.${Buffer.from('{"__proto__":{"iss":"x"}}').toString('base64url')}.AA`], // prettier-ignore
  ])('that is %s is refused', async (_, token) => {
    expect((await exchange(token)).slice(0, 2)).toEqual([400, 'invalid_grant']);
  });

  it('leaves nothing behind where it is refused', async () => {
    const { audit_log: before } = (await service.send('GET', '/v1/audit-log?limit=1')).json;
    await sent({ ref: 'refs/heads/dev' });
    const { audit_log: after } = (await service.send('GET', '/v1/audit-log?limit=1')).json;
    expect(after).toEqual(before);
  });
});
