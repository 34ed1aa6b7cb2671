import type { Client } from '../../../src/client/client.ts';
import { createClient } from '../../../src/client/client.ts';
import { listAll } from '../../../src/client/list-all.ts';
import type { Fetch } from '../../../src/client/http.ts';
import { applyPlan } from '../../../src/project/apply/apply.ts';
import type { ApplyResult } from '../../../src/project/apply/results.ts';
import { compareDocuments } from '../../../src/project/compare/compare.ts';
import type { Blocked, Comparison, Selection } from '../../../src/project/compare/comparison.ts';
import { everything } from '../../../src/project/compare/comparison.ts';
import { readLive } from '../../../src/project/compare/live.ts';
import type { Kind, LocalDocument } from '../../../src/project/kinds/kind.ts';
import { policyDocument, policyKind } from '../../../src/project/kinds/policy.ts';
import type { LocalPolicy } from '../../../src/project/model.ts';
import type { Plan } from '../../../src/project/plan/plan.ts';
import { makePlan } from '../../../src/project/plan/plan.ts';

const project = 'acme';
const baseUrl = 'http://service.test';

export const clientOf = (fetch: Fetch, token = 'test'): Client =>
  createClient({
    baseUrl,
    fetch,
    token: async () => token,
    sleep: async () => {},
    random: () => 0,
  });

/** Lists, compares and plans, as the CLI does. */
export const planNow = (
  client: Client,
  local: readonly LocalPolicy[],
  selection: Partial<Selection> = {},
): Promise<{ plan: Plan; blocked: Blocked[] }> =>
  planDocuments(client, [policyKind], local.map(policyDocument), selection);

/** The same for documents of these kinds. */
export async function planDocuments(
  client: Client,
  kinds: readonly Kind[],
  documents: readonly LocalDocument[],
  selection: Partial<Selection> = {},
): Promise<{ plan: Plan; blocked: Blocked[] }> {
  const chosen = { ...everything, ...selection };
  const comparisons: Comparison[] = [];
  for (const kind of kinds) {
    const live = [];
    for await (const item of listAll(client, kind.objects)) live.push(readLive(kind, item));
    const local = documents.filter((each) => each.kind === kind);
    comparisons.push(...compareDocuments(project, { local, live, keepsTags: true }, chosen));
  }
  return {
    plan: makePlan(comparisons, chosen.prune, { project, baseUrl, now: Date.UTC(2026, 0, 15) }),
    blocked: comparisons.filter((each) => each.kind === 'blocked'),
  };
}

export const applyNow = (
  client: Client,
  plan: Plan,
  signal: AbortSignal = new AbortController().signal,
): Promise<ApplyResult> =>
  applyPlan(client, plan, { concurrency: 4, signal, sleep: async () => {} });
