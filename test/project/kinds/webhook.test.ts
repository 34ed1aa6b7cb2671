import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffFields } from '../../../src/project/kinds/kind.ts';
import { contentHash } from '../../../src/project/kinds/kind.ts';
import { webhookKind } from '../../../src/project/kinds/webhook.ts';
import { changedFields } from '../../../src/project/plan/change.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import type { MinimalWebhooks, WebhookFaults } from '../../support/minimal-webhooks.ts';
import { createMinimalWebhooks } from '../../support/minimal-webhooks.ts';
import { clientOf } from '../apply/steps.ts';
import {
  applyWebhooks,
  makeWebhook,
  planWebhooks,
  resolved,
  variables,
  webhookEdit,
  webhookRepo,
} from './webhooks.ts';

const start = (faults: WebhookFaults = {}) => {
  const service = createMinimalWebhooks(createMinimalService().fetch, faults);
  return { service, client: clientOf(service.fetch) };
};

/** Our own service's extensions. */
const ours: WebhookFaults = { extends: ['name', 'tags', 'secret_hint'] };

type Edit = typeof webhookEdit extends fc.Arbitrary<infer T> ? T : never;

function editByHand({ webhooks, put }: MinimalWebhooks, edits: readonly Edit[]): void {
  for (const edit of edits) {
    if (edit.kind === 'create') {
      const owner = edit.owner ? [`govctl.owner:${edit.owner}`, 'govctl.key:z@000000000000'] : [];
      put({ url: edit.url, tags: ['mine', ...owner], secret_hint: 'hand' });
      continue;
    }
    const target = [...webhooks.values()][edit.at];
    if (!target) continue;
    if (edit.kind === 'delete') webhooks.delete(target.id);
    else {
      Object.assign(target, { ...edit.fields, secret: target.secret, tags: target.tags });
    }
  }
}

const snapshot = ({ webhooks }: MinimalWebhooks) => structuredClone([...webhooks.values()]);

const isOurs = ({ tags }: Record<string, unknown>): boolean =>
  Array.isArray(tags) && tags.includes('govctl.owner:acme');

const statusesOf = ({ comparisons }: { comparisons: { kind: string }[] }): Set<string> =>
  new Set(comparisons.map(({ kind }) => kind));

describe('planning and applying webhooks, for any repo and any service with tags', () => {
  it('leaves nothing to plan after an apply, touches nothing of others, tells no secret', async () => {
    const round = fc.tuple(webhookRepo, fc.array(webhookEdit, { maxLength: 3 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
        const { service, client } = start(ours);
        for (const [webhooks, edits, prune] of rounds) {
          const local = resolved(webhooks);
          editByHand(service, edits);
          const before = snapshot(service);
          const planned = await planWebhooks(client, local, prune);
          expect(snapshot(service)).toEqual(before);
          const said = JSON.stringify([planned.plan, planned.plan.changes.map(changedFields)]);
          expect(said).not.toMatch(/secret-number|written-into/);
          if (statusesOf(planned).has('blocked')) continue;
          const applied = await applyWebhooks(client, planned.plan, local);
          const failed = applied.results.filter(({ status }) => status !== 'applied');
          expect(failed).toEqual([]);
          expect(applied.results.flatMap(({ warnings = [] }) => warnings)).toEqual([]);
          for (const webhook of before) {
            const now = service.webhooks.get(webhook.id);
            if (!isOurs(webhook)) expect(now).toEqual(webhook);
            else if (!prune) expect(now).toBeDefined();
          }
          const again = await planWebhooks(client, local, prune);
          expect(again.plan.changes).toEqual([]);
          expect(again.plan.summary.unchanged).toBe(webhooks.length);
          const repeated = await applyWebhooks(client, planned.plan, local);
          expect(repeated.summary).toMatchObject({ applied: 0, failed: 0, not_attempted: 0 });
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('planning and applying webhooks, for any repo and any service without tags', () => {
  it('leaves nothing to plan after an apply, and deletes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        webhookRepo,
        fc.array(webhookEdit, { maxLength: 3 }),
        fc.boolean(),
        async (webhooks, edits, refusesUnknown) => {
          const { service, client } = start({ refusesUnknown });
          const local = resolved(webhooks);
          editByHand(
            {
              ...service,
              put: ({ tags: _t, secret_hint: _h, ...plain }) => service.put(plain as never),
            },
            edits,
          );
          for (const webhook of service.webhooks.values()) delete webhook.name;
          const before = [...service.webhooks.keys()];
          const planned = await planWebhooks(client, local, true);
          if (statusesOf(planned).has('blocked')) return;
          const applied = await applyWebhooks(client, planned.plan, local);
          expect(applied.results.filter(({ status }) => status !== 'applied')).toEqual([]);
          expect([...service.webhooks.keys()]).toEqual(expect.arrayContaining(before));
          const again = await planWebhooks(client, local, true);
          expect(again.plan.changes).toEqual([]);
          expect(service.changes.every(({ method }) => method !== 'DELETE')).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('what a webhook says', () => {
  const content = (fields: Record<string, unknown>) =>
    webhookKind.content(resolved([makeWebhook('a', fields)]).documents[0]?.body ?? {});

  it('is one in any spelling: order of sets, names of headers, defaults written out', () => {
    const plain = content({
      url: 'https://a.test',
      events: ['user.login', 'scan.failed'],
      headers: { 'X-Team': 'ops' },
    });
    const spelt = content({
      url: 'https://A.test/',
      events: ['scan.failed', 'user.login'],
      headers: { 'x-team': 'ops' },
      active: true,
      filters: { severity: [] },
      retry_config: { backoff_multiplier: 2 },
      timeout_seconds: 30,
      tags: [],
    });
    expect(spelt).toEqual(plain);
  });

  it('differs field by field exactly where its meaning does', () => {
    fc.assert(
      fc.property(webhookRepo, webhookRepo, ([a], [b]) => {
        if (!a || !b) return;
        const [left, right] = resolved([a, b]).documents.map(({ body }) =>
          webhookKind.content(body),
        );
        const same = JSON.stringify(left) === JSON.stringify(right);
        expect(diffFields(webhookKind, left ?? null, right ?? null).length === 0).toBe(same);
        expect(webhookKind.content(left ?? {})).toEqual(left);
      }),
    );
  });

  it('is hashed without its secret, and with the values of its headers', () => {
    const hashOf = (fields: Record<string, unknown>, env = variables) =>
      contentHash(webhookKind, resolved([makeWebhook('a', fields)], env).documents[0]?.body ?? {});
    const headers = { Authorization: '${TWO}' };
    expect(hashOf({ secret: '${ONE}' })).toBe(hashOf({ secret: '${TWO}' }));
    expect(hashOf({ headers })).not.toBe(hashOf({ headers }, { ...variables, TWO: 'another-two' }));
  });

  it('keeps its hash from release to release, as tags hold it', () => {
    const webhook = makeWebhook('a', { headers: { Authorization: 'Bearer ${ONE}' } });
    expect(contentHash(webhookKind, resolved([webhook]).documents[0]?.body ?? {})).toBe(
      '3674f25dafeb1ef125ceec77048243712c77cba38c44f8e87bf2725e87702a43',
    );
  });
});
