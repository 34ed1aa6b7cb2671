import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { signBody } from '../../src/webhook/sign.ts';
import type { Secret } from '../../src/webhook/sign.ts';
import type { VerifyWebhookOptions } from '../../src/webhook/webhook.ts';
import { WebhookVerificationError, verifyWebhook } from '../../src/webhook/webhook.ts';

const data = path.resolve(import.meta.dirname, '../../../shared/data/webhook-vectors');
const isThere = existsSync(data);
if (!isThere) console.log('skipped: the public signature vectors are not in this checkout');

const read = (file: string): string => readFileSync(path.join(data, file), 'utf8');
const json = <T>(file: string): T => JSON.parse(read(file)) as T;

const now = Date.UTC(2026, 0, 1);

/** Bodies of vectors are no events: the one refusal a good signature gets. */
function verdict(options: Omit<VerifyWebhookOptions, 'now'> & { now?: number }): string {
  try {
    verifyWebhook({ now, ...options });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return error.reason.startsWith('body_not') ? 'fits' : error.reason;
  }
  return 'fits';
}

const overBody = (secret: Secret, body: Uint8Array, signature: string): string =>
  verdict({
    body,
    secret,
    headers: { 'x-service-signature': signature, 'x-service-timestamp': String(now / 1_000) },
    signedTimestamp: 'optional',
  });

interface MacGroup {
  readonly tagSize: number;
  readonly tests: readonly {
    readonly tcId: number;
    readonly key: string;
    readonly msg: string;
    readonly tag: string;
    readonly result: string;
  }[];
}

interface Vectors {
  readonly vectors: readonly {
    readonly secret: string;
    readonly payload: string;
    readonly signature: string;
    readonly valid: boolean;
    readonly id: string;
    readonly timestamp: number | string;
  }[];
}

describe.skipIf(!isThere)('signature vectors of others', () => {
  it('Wycheproof: HMAC-SHA256, and no truncated tag', () => {
    const { testGroups } = json<{ testGroups: MacGroup[] }>(
      'C2SP__wycheproof/hmac_sha256_test.json',
    );
    let seen = 0;
    for (const { tagSize, tests } of testGroups) {
      for (const { tcId, key, msg, tag, result } of tests) {
        const found = overBody(Buffer.from(key, 'hex'), Buffer.from(msg, 'hex'), `sha256=${tag}`);
        const whole = result === 'valid' ? 'fits' : 'bad_signature';
        expect([tcId, found]).toEqual([tcId, tagSize === 256 ? whole : 'malformed_header']);
        seen++;
      }
    }
    expect(seen).toBeGreaterThan(50);
  });

  it('RFC 4231', () => {
    const cases = read('deb_python3-cryptography-vectors@38.0.4-1/rfc-4231-sha256.txt').matchAll(
      /Key = (\w+)\n(?:#.*\n)?Msg = (\w+)\nMD = (\w+)/g,
    );
    let seen = 0;
    for (const [, key = '', message = '', digest] of cases) {
      const body = Buffer.from(message, 'hex');
      expect(overBody(Buffer.from(key, 'hex'), body, `sha256=${digest}`)).toBe('fits');
      seen++;
    }
    expect(seen).toBeGreaterThanOrEqual(5);
  });

  it("GitHub's documented signature", () => {
    const { vectors } = json<Vectors>('github_github/docs/github-docs-vector.json');
    for (const { secret, payload, signature } of vectors) {
      expect(signBody(secret, payload)).toBe(signature);
      expect(overBody(secret, Buffer.from(payload), signature)).toBe('fits');
    }
  });

  it('Standard Webhooks', () => {
    const { vectors } = json<Vectors>(
      'standard-webhooks__standard-webhooks/standard-webhooks-vectors.json',
    );
    for (const { secret: given, payload: body, signature, valid, id, timestamp } of vectors) {
      const secret = given.startsWith('whsec_') ? given : `whsec_${given}`;
      const found = verdict({
        body,
        secret,
        now: 1_614_265_330_000,
        headers: {
          'x-service-signature': signBody(secret, body),
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signature,
        },
      });
      expect([signature, found === 'fits']).toEqual([signature, valid]);
    }
  });
});
