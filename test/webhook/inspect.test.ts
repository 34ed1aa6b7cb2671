import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectDelivery } from '../../src/webhook/inspect.ts';
import type { VerifyWebhookOptions } from '../../src/webhook/webhook.ts';
import { verifyWebhook } from '../../src/webhook/webhook.ts';
import { secret, sentAt, signedDelivery, violationCreated } from '../support/signed-delivery.ts';

const now = sentAt * 1_000;

function isAccepted(options: VerifyWebhookOptions): boolean {
  try {
    verifyWebhook(options);
    return true;
  } catch {
    return false;
  }
}

describe('inspectDelivery', () => {
  it('finds right what verifyWebhook accepts, and wrong what it refuses', () => {
    const signed = signedDelivery(violationCreated, {
      secret: 'the next secret',
      previous: secret,
    });
    const names = Object.keys(signed.headers);
    const others = Object.values(signedDelivery({ ...violationCreated, id: 'evt_2' }).headers);
    const change = fc.record({
      header: fc.constantFrom(...names),
      value: fc.oneof(fc.string(), fc.constantFrom(...others, ...Object.values(signed.headers))),
    });
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 2 }),
        fc.constantFrom(
          [secret],
          ['the next secret'],
          [secret, 'x'],
          ['x'],
          ['x', 'the next secret'],
        ),
        fc.integer({ min: -400, max: 400 }),
        (changes, secrets, later) => {
          const headers = { ...signed.headers };
          for (const { header, value } of changes) headers[header] = value;
          const at = now + later * 1_000;
          const body = Buffer.from(signed.body);
          const tolerance = 300;
          const { fits, problem } = inspectDelivery({ body, headers }, secrets, {
            now: at,
            tolerance,
          });
          expect(fits).toBe(problem === undefined);
          // The library demands both kinds, and ids that cannot be cut apart; the rest is the same.
          if (isAccepted({ body, headers, secret: secrets, now: at, tolerance })) {
            expect(fits).toBe(true);
          } else if (changes.length === 0) expect(fits).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never throws, whatever a delivery holds', () => {
    fc.assert(
      fc.property(
        fc.uint8Array(),
        fc.array(fc.tuple(fc.constantFrom(...Object.keys(signedDelivery().headers)), fc.string())),
        (body, headers) => {
          const { fits } = inspectDelivery({ body, headers }, [secret, ''], { now });
          expect(fits).toBe(false);
        },
      ),
    );
  });

  it('finds nothing made with a secret that stands for an empty key', () => {
    const signed = signedDelivery(violationCreated, { secret: 'whsec_' });
    const {
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': signature,
    } = signed.headers;
    const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature };
    for (const empty of ['whsec_', 'whsec_====', '']) {
      const delivery = { body: Buffer.from(signed.body), headers };
      expect(inspectDelivery(delivery, [empty], { now }).fits).toBe(false);
    }
  });
});
