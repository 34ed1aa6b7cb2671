import fc from 'fast-check';
import type { Client } from '../../../src/client/client.ts';
import { listAll } from '../../../src/client/list-all.ts';
import { webhookObjects } from '../../../src/client/objects.ts';
import { applyPlan } from '../../../src/project/apply/apply.ts';
import type { ApplyResult } from '../../../src/project/apply/results.ts';
import { compareDocuments } from '../../../src/project/compare/compare.ts';
import type { Comparison } from '../../../src/project/compare/comparison.ts';
import { everything } from '../../../src/project/compare/comparison.ts';
import { readLive } from '../../../src/project/compare/live.ts';
import { webhookKind } from '../../../src/project/kinds/webhook.ts';
import type { LocalWebhook } from '../../../src/project/model.ts';
import type { Plan } from '../../../src/project/plan/plan.ts';
import { makePlan } from '../../../src/project/plan/plan.ts';
import type { ResolvedWebhooks } from '../../../src/project/read/resolve-webhooks.ts';
import { resolveWebhooks } from '../../../src/project/read/resolve-webhooks.ts';

/** Few urls, keys and values, so that collisions, moves and accidental equality happen often. */
const url = fc.constantFrom('https://a.test/', 'https://b.test/x', 'https://c.test/x?y=1');
const key = fc.constantFrom('a', 'b', 'c');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

export const variables = { ONE: 'secret-number-one', TWO: 'secret-number-two' };

const webhookFields = fc
  .record({
    name: optional(fc.constantFrom('Ops', 'Team')),
    events: fc.subarray(['scan.failed', 'scan.completed', 'user.login'] as const, { minLength: 1 }),
    secret: fc.constantFrom('${ONE}', '${TWO}', 'written-into-the-file'),
    active: optional(fc.boolean()),
    filters: optional(fc.constantFrom({}, { severity: ['HIGH' as const] })),
    retry_config: optional(fc.constantFrom({ max_attempts: 3 }, { backoff_multiplier: 2 })),
    timeout_seconds: optional(fc.constantFrom(5, 30)),
    headers: optional(
      fc.constantFrom<Record<string, string>>(
        {},
        { Authorization: 'Bearer ${ONE}' },
        { 'X-Team': 'ops', 'X-Token': '${TWO}${ONE}' },
      ),
    ),
    tags: optional(fc.subarray(['x', 'team:a'])),
  })
  .map((fields) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  );

const localWebhook = fc
  .tuple(key, url, webhookFields)
  .map(([key, url, fields]) => makeWebhook(key, { ...fields, url }));

/** Webhooks of a repo: keys and urls are unique. */
export const webhookRepo = fc
  .uniqueArray(localWebhook, { selector: ({ key }) => key, maxLength: 3 })
  .map((all) =>
    all.filter(
      ({ webhook }, index) => all.findIndex((other) => other.webhook.url === webhook.url) === index,
    ),
  );

export function makeWebhook(key: string, fields: Record<string, unknown>): LocalWebhook {
  const webhook = {
    url: 'https://a.test/',
    events: ['scan.failed'],
    secret: '${ONE}',
    ...fields,
  } as LocalWebhook['webhook']; // of fields as the schema has them
  return {
    key,
    webhook,
    place: { file: `policies/${key}.yaml`, line: 1, column: 1 },
    references: ['ONE', 'TWO'].map((variable) => ({
      variable,
      path: 'secret',
      file: `policies/${key}.yaml`,
      line: 1,
      column: 1,
    })),
  };
}

export const resolved = (
  local: readonly LocalWebhook[],
  env: Record<string, string> = variables,
): ResolvedWebhooks => resolveWebhooks(local, env, () => true);

/** Something done to a service outside git. */
export const webhookEdit = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    url,
    owner: fc.constantFrom(undefined, 'other'),
  }),
  fc.record({
    kind: fc.constant('change' as const),
    at: fc.nat({ max: 3 }),
    fields: webhookFields,
  }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat({ max: 3 }) }),
);

/** Lists, compares and plans, as the CLI does. */
export async function planWebhooks(
  client: Client,
  { documents }: ResolvedWebhooks,
  prune = false,
): Promise<{ plan: Plan; comparisons: Comparison[] }> {
  const items = [];
  for await (const item of listAll(client, webhookObjects)) items.push(item);
  const keepsTags = await webhookKind.keepsTags(client, items);
  const live = items.map((item) => readLive(webhookKind, item));
  const selection = { ...everything, prune };
  const comparisons = compareDocuments('acme', { local: documents, live, keepsTags }, selection);
  const facts = { project: 'acme', baseUrl: 'http://service.test', now: Date.UTC(2026, 0, 15) };
  return { plan: makePlan(comparisons, prune, facts), comparisons };
}

export const applyWebhooks = (
  client: Client,
  plan: Plan,
  { secrets }: ResolvedWebhooks,
): Promise<ApplyResult> =>
  applyPlan(client, plan, {
    concurrency: 4,
    signal: new AbortController().signal,
    sleep: async () => {},
    secrets,
  });
