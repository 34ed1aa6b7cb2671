import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VerifyWebhookOptions } from '../../src/webhook/webhook.ts';
import { WebhookVerificationError, verifyWebhook } from '../../src/webhook/webhook.ts';
import { signBody, signMessage } from '../../src/webhook/sign.ts';
import {
  secret,
  sentAt,
  signedDelivery,
  violationCreated,
  violationDetected,
} from '../support/signed-delivery.ts';

const now = sentAt * 1_000;
const delivery = signedDelivery();

/** The reason and message of the refusal. */
function refusal(changes: Partial<Record<keyof VerifyWebhookOptions, unknown>>) {
  try {
    // What a receiver may pass by mistake is beyond the types.
    verifyWebhook({ ...delivery, secret, now, ...changes } as VerifyWebhookOptions);
  } catch (error) {
    if (error instanceof WebhookVerificationError) {
      return { reason: error.reason, message: error.message };
    }
    throw error;
  }
  return { reason: 'accepted', message: '' };
}

const withHeader = (name: string, value: string | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...delivery.headers, [name]: value }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );

describe('verifyWebhook', () => {
  it('gives the event of either form, typed by its type', () => {
    const event = verifyWebhook({ ...delivery, secret, now });
    expect(event).toMatchObject({
      form: 'A',
      id: 'evt_1',
      type: 'policy.violation.created',
      created: violationCreated.created,
      attempt: 1,
      webhookId: 'wh_1',
      timestamp: sentAt,
      timestampIsSigned: true,
      secretIndex: 0,
    });
    if (event.type !== 'policy.violation.created') throw new Error('of another type');
    expect(event.data.violation.severity).toBe('HIGH');

    const other = signedDelivery(violationDetected, { id: 'evt_9' });
    expect(verifyWebhook({ ...other, secret, now })).toMatchObject({
      form: 'B',
      id: 'evt_9',
      type: 'policy.violation.detected',
      webhookId: 'wh_1',
      data: { severity: 'high' },
    });
  });

  it('takes headers and bodies as fetch, Node and others give them', () => {
    const { body, headers } = delivery;
    const bytes = new TextEncoder().encode(body);
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const bodies = [body, bytes, Buffer.from(body), bytes.buffer as ArrayBuffer];
    const forms = [headers, lower, new Headers(headers), new Map(Object.entries(headers))];
    const arrays = Object.fromEntries(
      Object.entries(lower).map(([name, value]) => [name, [value]]),
    );
    for (const raw of bodies) {
      for (const given of [...forms, arrays, { ...lower, absent: undefined }]) {
        expect(verifyWebhook({ body: raw, headers: given, secret, now }).id).toBe('evt_1');
      }
    }
  });

  it('takes several secrets, and says which of them fits', () => {
    const during = signedDelivery(violationCreated, {
      secret: 'the next secret',
      previous: secret,
    });
    const fitting = (delivered: typeof delivery, secrets: (string | undefined)[]): number =>
      verifyWebhook({ ...delivered, secret: secrets, now }).secretIndex;
    expect(fitting(delivery, ['the next secret', secret])).toBe(1);
    expect(fitting(delivery, [undefined, '', secret])).toBe(2);
    // The receiver that has only the old one goes on while both sign.
    expect(fitting(during, [secret])).toBe(0);
    expect(fitting(during, ['the next secret', secret])).toBe(0);
    expect(refusal({ secret: ['another', 'and another'] }).reason).toBe('bad_signature');
  });

  it('refuses what was signed too long ago, or too far ahead', () => {
    const at = (seconds: number, tolerance?: number) =>
      refusal({
        now: (sentAt + seconds) * 1_000,
        ...(tolerance === undefined ? {} : { tolerance }),
      }).reason;
    expect([at(300), at(301), at(-300), at(-301)]).toEqual([
      'accepted',
      'timestamp_too_old',
      'accepted',
      'timestamp_too_new',
    ]);
    expect([at(5, 4), at(5, 5), at(0, 0)]).toEqual(['timestamp_too_old', 'accepted', 'accepted']);
    // A fresh X-Service-Timestamp, which nothing signs, makes an old delivery no younger.
    const replayed = withHeader('X-Service-Timestamp', String(sentAt + 4_000));
    expect(refusal({ headers: replayed, now: (sentAt + 4_000) * 1_000 }).reason).toBe(
      'timestamp_too_old',
    );
  });

  it('needs a signed time, but where it is told not to', () => {
    const { body, headers } = delivery;
    const plain = Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('X-Service')),
    );
    expect(refusal({ headers: plain })).toMatchObject({
      reason: 'missing_header',
      message: expect.stringContaining("{ signedTimestamp: 'optional' }") as string,
    });
    const optional = { body, headers: plain, secret, signedTimestamp: 'optional' } as const;
    expect(verifyWebhook({ ...optional, now })).toMatchObject({
      id: 'evt_1',
      timestamp: sentAt,
      timestampIsSigned: false,
    });
    expect(refusal({ ...optional, now: now + 301_000 }).reason).toBe('timestamp_too_old');
    const untimed = { 'X-Service-Signature': plain['X-Service-Signature'] };
    expect(refusal({ ...optional, headers: untimed }).reason).toBe('missing_header');
    // Sent all the same, it must fit.
    const wrong = withHeader('webhook-id', 'evt_2');
    expect(refusal({ ...optional, headers: wrong }).reason).toBe('bad_signature');
  });

  it.each([
    ['no signature over the body', 'X-Service-Signature', undefined, 'missing_header'],
    ['a signature that is none', 'X-Service-Signature', 'sha1=abc', 'malformed_header'],
    ['capital hex', 'X-Service-Signature', `sha256=${'AB'.repeat(32)}`, 'malformed_header'],
    ['another signature', 'X-Service-Signature', `sha256=${'ab'.repeat(32)}`, 'bad_signature'],
    ['another id', 'webhook-id', 'evt_2', 'bad_signature'],
    ['an id with a dot', 'webhook-id', 'evt_1.5', 'malformed_header'],
    ['another time', 'webhook-timestamp', String(sentAt + 1), 'bad_signature'],
    ['a time that is none', 'webhook-timestamp', '1e9', 'malformed_header'],
    ['no time', 'webhook-timestamp', undefined, 'missing_header'],
    ['no version 1', 'webhook-signature', 'v2,abc', 'malformed_header'],
    ['a short signature', 'webhook-signature', 'v1,abc', 'malformed_header'],
    ['no signature over the time', 'webhook-signature', undefined, 'missing_header'],
    ['an empty signature', 'webhook-signature', '', 'malformed_header'],
  ])('refuses %s', (_, name, value, reason) => {
    expect(refusal({ headers: withHeader(name, value) }).reason).toBe(reason);
  });

  it('finds its signature among others of webhook-signature', () => {
    const own = delivery.headers['webhook-signature'] ?? '';
    const others = `v1a,${'x'.repeat(86)}== v2,abc v1,broken v1,${'A'.repeat(43)}=`;
    expect(refusal({ headers: withHeader('webhook-signature', `${others} ${own}`) }).reason).toBe(
      'accepted',
    );
  });

  it('refuses a header that came twice where there is one time or id', () => {
    const headers = { ...delivery.headers, 'Webhook-Timestamp': String(sentAt) };
    expect(refusal({ headers }).reason).toBe('malformed_header');
  });

  it('says what to check where the receiver is wrong', () => {
    expect(refusal({ body: JSON.parse(delivery.body) as unknown })).toEqual({
      reason: 'body_not_raw',
      message: expect.stringContaining('parsed before verification: pass the raw bytes') as string,
    });
    expect(refusal({ body: undefined }).message).toContain('No body');
    for (const none of [undefined, '', [], [undefined, ''], 'whsec_', null, 7]) {
      expect(refusal({ secret: none }).reason).toBe('misconfigured');
    }
    expect(refusal({ tolerance: Number.NaN }).reason).toBe('misconfigured');
    expect(refusal({ tolerance: -1 }).reason).toBe('misconfigured');
    expect(refusal({ now: Number.NaN }).reason).toBe('misconfigured');
    const rewritten = JSON.stringify(JSON.parse(delivery.body), null, 2);
    expect(refusal({ body: rewritten }).message).toContain('not parsed and serialized again');
    for (const headers of [undefined, null, 'text', 7, ['a', 'b'], {}]) {
      expect(refusal({ headers }).reason).toBe('missing_header');
    }
  });

  it.each([
    ['not json', 'body_not_json'],
    [`${'['.repeat(200_000)}`, 'body_not_json'],
    ['7', 'body_not_an_event'],
    ['null', 'body_not_an_event'],
    ['[]', 'body_not_an_event'],
    ['{}', 'body_not_an_event'],
    ['{"id":1,"type":"scan.completed","created":"x","data":{}}', 'body_not_an_event'],
    ['{"id":"e","type":"scan.completed","created":"x","data":[]}', 'body_not_an_event'],
    ['{"id":"e","type":"of.tomorrow","created":"x","data":{"__proto__":{}}}', 'accepted'],
  ])('reads a rightly signed body only after its signature: %#', (body, reason) => {
    expect(refusal(signedDelivery(body)).reason).toBe(reason);
    expect(refusal({ ...signedDelivery(body), secret: 'another' }).reason).toBe('bad_signature');
  });

  it('refuses bytes that are no UTF-8', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x7d]);
    const headers = {
      'x-service-signature': signBody(secret, bytes),
      'x-service-timestamp': String(sentAt),
    };
    expect(refusal({ body: bytes, headers, signedTimestamp: 'optional' }).reason).toBe(
      'body_not_json',
    );
  });

  it('takes a whsec_ secret as Standard Webhooks do', () => {
    const standard = `whsec_${Buffer.from('key '.repeat(8)).toString('base64')}`;
    const signed = signedDelivery(violationCreated, { secret: standard });
    expect(refusal({ ...signed, secret: standard }).reason).toBe('accepted');
  });

  it.each([
    ['whsec_!!!!!!!!', 'whsec_!!!!!!!!'],
    ['whsec_abcde', 'whsec_abcde'],
    ['whsec_abcd=', 'whsec_abcd='],
    ['whsec_a2V5', 'key'],
    ['whsec_a2V5cw', 'keys'],
    ['whsec_a2V5cw==', 'keys'],
  ])('keys webhook-signature of %s with %s', (secret, key) => {
    const expected = createHmac('sha256', key).update('evt_1.7.{}').digest('base64');
    expect(signMessage(secret, 'evt_1', 7, '{}')).toBe(`v1,${expected}`);
  });

  it('accepts whatever was signed, and nothing that was changed by one byte or one second', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string({ minLength: 1 }),
        fc.integer({ min: 1, max: 2_000_000_000 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (data, key, at, where, flip) => {
          const signed = signedDelivery({ ...violationCreated, data }, { secret: key, at });
          const check = { secret: key, now: at * 1_000 };
          expect(refusal({ ...signed, ...check }).reason).toBe('accepted');
          const body = Buffer.from(signed.body);
          const place = where % body.length;
          body[place] = (body[place] ?? 0) ^ flip;
          expect(refusal({ ...signed, ...check, body }).reason).toBe('bad_signature');
          const later = { ...signed.headers, 'webhook-timestamp': String(at + 1) };
          expect(refusal({ ...signed, ...check, headers: later }).reason).toBe('bad_signature');
          expect(refusal({ ...signed, ...check, secret: `${key}x` }).reason).toBe('bad_signature');
        },
      ),
      { numRuns: 200 },
    );
  });

  it('throws its own error and no other, whatever comes, and accepts none of it', () => {
    const anyHeader = fc.oneof(
      fc.string(),
      fc.constantFrom(...Object.values(delivery.headers), '', ' ', ',', 'v1,', 'sha256='),
      fc.array(fc.string()),
      fc.anything(),
    );
    const name = fc.constantFrom(...Object.keys(delivery.headers), '__proto__', 'constructor');
    fc.assert(
      fc.property(
        fc.anything(),
        fc.oneof(
          fc.dictionary(name, anyHeader),
          fc.array(fc.tuple(name, anyHeader)),
          fc.anything(),
        ),
        fc.constantFrom('required', 'optional'),
        (body, headers, signedTimestamp) => {
          const { reason } = refusal({ body, headers, signedTimestamp });
          expect(reason).not.toBe('accepted');
        },
      ),
      { numRuns: 500 },
    );
  });

  it('keeps secret and body out of its messages', () => {
    for (const changes of [{ secret: 'another secret' }, { body: 'hello body' }, { headers: {} }]) {
      expect(refusal(changes).message).not.toMatch(/another secret|hello body|a secret of/);
    }
  });
});
