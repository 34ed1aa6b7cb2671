import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { listAll } from '../../../src/client/list-all.ts';
import { deleteObject, updateObject } from '../../../src/client/objects.ts';
import { BudgetInput } from '../../../src/contract/budgets.ts';
import { budgetDocument, budgetKind } from '../../../src/project/kinds/budget.ts';
import { exemptionDocument, exemptionKind } from '../../../src/project/kinds/exemption.ts';
import { frameworkDocument, frameworkKind } from '../../../src/project/kinds/framework.ts';
import type { LocalDocument } from '../../../src/project/kinds/kind.ts';
import { policyDocument, policyKind } from '../../../src/project/kinds/policy.ts';
import type { RunningServer } from '../../../src/server/start.ts';
import { startServer } from '../../../src/server/start.ts';
import { repo } from '../arbitraries.ts';
import { applyNow, clientOf, planDocuments } from './steps.ts';

const kinds = [policyKind, exemptionKind, frameworkKind, budgetKind];
const place = { file: 'x.yaml', line: 1, column: 1 };
const now = Date.now();
const day = (offset: number): string =>
  new Date(now + offset * 86_400_000).toISOString().slice(0, 10);

const tags = fc.option(fc.subarray(['x', 'team:a']), { nil: undefined });
const few = fc.constantFrom('a', 'b', 'c');

/** Exemptions from policies by their place in the repo, so that they name some that are there. */
const exemption = fc.record({
  key: few,
  policy: fc.nat({ max: 4 }),
  resources: fc.uniqueArray(fc.constantFrom('r1', 'r2', 's-*'), { minLength: 1 }),
  reason: fc.constantFrom('One', 'Two'),
  owner: few,
  expires: fc.constantFrom(day(30), day(60), day(-30)),
  category: fc.constantFrom(undefined, 'waiver' as const, 'mitigated' as const),
  tags,
});

const framework = fc
  .record({
    id: fc.constantFrom('own', 'finops', 'soc2'),
    name: fc.constantFrom('One', 'Two'),
    version: fc.constantFrom(undefined, '1', '2'),
    tags,
    controls: fc.uniqueArray(
      fc.record({ id: fc.constantFrom('CC1.1', 'CC1.2', 'CC6.1'), title: few }),
      { minLength: 1, selector: ({ id }) => id },
    ),
  })
  .map(({ version, tags: its, ...rest }) => ({
    ...rest,
    ...(version === undefined ? {} : { version }),
    ...(its === undefined ? {} : { tags: its }),
  }));

/** Two of them may change names with each other. */
const budget = fc.record({
  key: few,
  input: fc
    .record({
      name: fc.constantFrom('One', 'Two', 'Three'),
      amount: fc.constantFrom<string | number>('1000', 1000, '1000.50', 2500.5),
      currency: fc.constantFrom('USD', 'EUR'),
      period: fc.constantFrom(undefined, 'month', 'year'),
      metric: fc.constantFrom(undefined, 'billed', 'effective'),
      filter: fc.constantFrom(
        undefined,
        {},
        { provider: 'aws' },
        { tags: { team: ['b', 'a'] } },
        { provider: ['aws'], tags: { team: 'a' } },
      ),
      thresholds: fc.constantFrom(
        undefined,
        [],
        [{ percent: 100, on: 'forecast' }, { percent: 80 }, { percent: 100 }],
        [{ percent: 50 }],
      ),
      tags,
    })
    .map((fields) => BudgetInput.parse(fields)),
});

/** A repo of all four kinds. */
const documents: fc.Arbitrary<readonly LocalDocument[]> = fc
  .record({
    policies: repo,
    exemptions: fc.uniqueArray(exemption, { selector: ({ key }) => key }),
    frameworks: fc.uniqueArray(framework, { selector: ({ id }) => id }),
    budgets: fc.uniqueArray(budget, { selector: ({ key }) => key }),
  })
  .map(({ policies, exemptions, frameworks, budgets }) => {
    const named = new Set<string>();
    const names = policies.map(({ policy }) => policy.name);
    const seen = new Set<string>();
    return [
      ...policies.map(policyDocument),
      ...exemptions
        .filter(() => names.length > 0)
        .map(({ key, policy, category, tags: its, ...rest }) => {
          const named = names[policy % names.length] ?? '';
          const own = {
            ...rest,
            policy: named,
            ...(category === undefined ? {} : { category }),
            ...(its === undefined ? {} : { tags: its }),
          };
          return exemptionDocument({ key, exemption: own, place }, now);
        })
        .filter(({ kind, body }) => {
          const identity = kind.identityOf(body);
          return !seen.has(identity) && seen.add(identity);
        }),
      ...frameworks.map((one) => frameworkDocument({ key: one.id, framework: one, place })),
      ...budgets
        .filter(({ input: { name } }) => !named.has(name) && named.add(name))
        .map(({ key, input }) => budgetDocument({ key, budget: input, place })),
    ];
  });

describe('plan and apply of policies, exemptions, frameworks and budgets against the real service', () => {
  let server: RunningServer;
  let client: Client;
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-kinds-'));
  const apiKey = 'gk_test_kinds_0123456789';
  beforeAll(async () => {
    server = await startServer({
      host: '127.0.0.1',
      port: 0,
      dataDir: folder,
      store: 'lowdb',
      apiKey,
      allowTargets: [],
      rateLimit: 'off',
      metrics: false,
      logLevel: 'silent',
    });
    client = clientOf(server.fetch, apiKey);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  async function clear(): Promise<void> {
    for (const { objects } of [exemptionKind, frameworkKind, policyKind, budgetKind]) {
      for await (const { id } of listAll(client, objects)) await deleteObject(client, objects, id);
    }
  }

  /** Edits, or deletes, what is live. */
  async function editByHand(isDeleting: boolean): Promise<void> {
    for await (const { id } of listAll(client, exemptionKind.objects)) {
      const body = { reason: 'By hand', category: null };
      if (isDeleting) await deleteObject(client, exemptionKind.objects, id);
      else await updateObject(client, exemptionKind.objects, { id, body });
    }
    for await (const { id, tags: its } of listAll(client, frameworkKind.objects)) {
      const body = { name: 'By hand', tags: its, controls: [{ id: 'CC1.2', title: 'x' }] };
      await updateObject(client, frameworkKind.objects, { id, body });
    }
    for await (const { id } of listAll(client, budgetKind.objects)) {
      const body = { amount: '7', filter: { region: 'eu' }, thresholds: null };
      if (isDeleting) await deleteObject(client, budgetKind.objects, id);
      else await updateObject(client, budgetKind.objects, { id, body });
    }
  }

  it('leaves nothing to plan after an apply, whatever was live before', async () => {
    const none = { applied: 0, failed: 0, not_attempted: 0 };
    await fc.assert(
      fc.asyncProperty(documents, documents, fc.boolean(), async (first, second, isDeleting) => {
        await clear();
        await applyNow(client, (await planDocuments(client, kinds, first)).plan);
        await editByHand(isDeleting);
        const { plan, blocked } = await planDocuments(client, kinds, second, { prune: true });
        expect(blocked).toEqual([]);
        const { results } = await applyNow(client, plan);
        expect(results.filter(({ status, warnings }) => status !== 'applied' || warnings)).toEqual(
          [],
        );
        const again = await planDocuments(client, kinds, second, { prune: true });
        expect(again.plan.changes).toEqual([]);
        expect((await applyNow(client, plan)).summary).toMatchObject(none);
        const isLive = ({ isOver }: LocalDocument): boolean => isOver === undefined;
        expect(again.plan.summary.unchanged).toBeGreaterThanOrEqual(second.filter(isLive).length);
      }),
      { numRuns: 40 },
    );
  });

  it('never deletes without prune', async () => {
    await fc.assert(
      fc.asyncProperty(documents, documents, async (first, second) => {
        await clear();
        await applyNow(client, (await planDocuments(client, kinds, first)).plan);
        const { plan } = await planDocuments(client, kinds, second);
        expect(plan.summary.delete).toBe(0);
        expect(plan.changes.filter(({ action }) => action === 'delete')).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});
