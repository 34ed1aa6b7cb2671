import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWK } from 'jose';
import type { Send } from '../../../src/server/outbound/send.ts';

export const github = 'https://token.actions.githubusercontent.com';
export const audience = 'https://govctl.test';

/** An OpenID provider of CI jobs: its two documents, and what it signs. */
export interface FakeIssuer {
  readonly url: string;
  /** Answers what the server asks for. */
  readonly send: Send;
  /** Addresses that were asked, in order. */
  readonly asked: string[];
  /** Signs with a new key; `isKept`: the old one stays published. */
  rotate(isKept?: boolean): Promise<void>;
  publicKey(): JWK;
  /** From now on it answers so, at each address that begins with it; undefined: as ever. */
  answer(url: string, outcome: Awaited<ReturnType<Send>> | undefined): void;
  /** A token with these claims beside, or instead of, those of a job. */
  sign(claims?: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): Promise<string>; // prettier-ignore
}

export async function createFakeIssuer(
  now: () => number,
  { url = github, alg = 'RS256' }: { readonly url?: string; readonly alg?: string } = {},
): Promise<FakeIssuer> {
  const asked: string[] = [];
  const answers = new Map<string, Awaited<ReturnType<Send>>>();
  let published: JWK[] = [];
  let key: CryptoKey;
  let count = 0;
  const rotate = async (isKept = false): Promise<void> => {
    const pair = await pairOf(alg, count);
    key = pair.privateKey;
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: `key-${++count}`, alg, use: 'sig' };
    published = isKept ? [...published, jwk] : [jwk];
  };
  await rotate();
  const json = (body: unknown) => ({ durationMs: 1, status: 200, body: JSON.stringify(body) });
  const last = (): JWK => published[published.length - 1] ?? {};
  return {
    url,
    asked,
    rotate,
    publicKey: last,
    answer(begin, outcome) {
      if (outcome) answers.set(begin, outcome);
      else answers.delete(begin);
    },
    async send({ url: address }) {
      asked.push(address);
      for (const [begin, outcome] of answers) if (address.startsWith(begin)) return outcome;
      if (address === `${url}/.well-known/openid-configuration`) {
        return json({ issuer: url, jwks_uri: `${url}/.well-known/jwks` });
      }
      if (address === `${url}/.well-known/jwks`) return json({ keys: published });
      return { durationMs: 1, status: 404, body: '' };
    },
    sign(claims = {}, header = {}) {
      const seconds = Math.floor(now() / 1_000);
      return new SignJWT({
        iss: url,
        aud: audience,
        sub: 'repo:acme/policies:ref:refs/heads/main',
        iat: seconds,
        nbf: seconds - 300,
        exp: seconds + 300,
        ...jobClaims,
        ...claims,
      })
        .setProtectedHeader({ alg, typ: 'JWT', kid: last().kid, ...header } as { alg: string })
        .sign(key);
    },
  };
}

/** The same on a port of this machine, by the system's clock. */
export async function serveIssuer(
  certificate: { readonly key: string; readonly cert: string } | undefined,
): Promise<FakeIssuer> {
  const server = createServer({ ...certificate });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  server.unref();
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const issuer = await createFakeIssuer(Date.now, { url });
  const signal = AbortSignal.timeout(60_000);
  server.on('request', (request, response) => {
    const asked = { url: url + request.url, headers: {}, body: '', timeoutMs: 1_000 };
    void issuer.send(asked, signal).then(({ status = 500, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body);
    });
  });
  return issuer;
}

const pairs = new Map<string, ReturnType<typeof generateKeyPair>>();

/** Keys take a while to make: each issuer has the same ones, one after the other. */
function pairOf(alg: string, number: number): ReturnType<typeof generateKeyPair> {
  const pair = pairs.get(`${alg} ${number}`) ?? generateKeyPair(alg, { extractable: true });
  pairs.set(`${alg} ${number}`, pair);
  return pair;
}

/** Of a job of GitHub Actions. */
export const jobClaims = {
  repository: 'acme/policies',
  repository_id: '74',
  repository_owner: 'acme',
  ref: 'refs/heads/main',
  ref_type: 'branch',
  event_name: 'push',
  actor: 'ann',
  run_id: '4711',
  run_attempt: '1',
};

/** Of a job of GitLab. */
export const gitlabClaims = {
  sub: 'project_path:acme/policies:ref_type:branch:ref:main',
  project_path: 'acme/policies',
  project_id: '20',
  ref: 'main',
  ref_type: 'branch',
  ref_path: 'refs/heads/main',
  pipeline_source: 'push',
  pipeline_id: '574',
};
