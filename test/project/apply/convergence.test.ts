import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { listAll } from '../../../src/client/list-all.ts';
import { deleteObject, policyObjects, updateObject } from '../../../src/client/objects.ts';
import type { RunningServer } from '../../../src/server/start.ts';
import { startServer } from '../../../src/server/start.ts';
import type { MinimalService } from '../../support/minimal-service.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import type { HandEdit } from '../arbitraries.ts';
import { handEdit, policyFields, repo } from '../arbitraries.ts';
import { applyNow, clientOf, planNow } from './steps.ts';

/** Edits a service behind govctl's back; an edit that the service would refuse is left out. */
function editByHand(service: MinimalService, edits: readonly HandEdit[]): void {
  const isTaken = (name: string): boolean =>
    [...service.policies.values()].some((policy) => policy.name === name);
  for (const edit of edits) {
    if (edit.kind === 'create') {
      if (isTaken(edit.name)) continue;
      service.put({
        name: edit.name,
        resource_type: 'AWS::S3::Bucket',
        rules: [{ condition: 'resource.z == 1', effect: 'DENY' }],
        tags: edit.owner ? [`govctl.owner:${edit.owner}`, 'govctl.key:z@000000000000'] : ['mine'],
      });
      continue;
    }
    const target = [...service.policies.values()][edit.at];
    if (!target) continue;
    if (edit.kind === 'delete') service.policies.delete(target.id);
    else if (edit.kind === 'rename') {
      if (!isTaken(edit.name)) target.name = edit.name;
    } else {
      const kept = (target.tags ?? []).filter((tag) => tag.startsWith('govctl.'));
      const { tags = [], ...fields } = edit.fields as { tags?: string[] };
      Object.assign(target, fields, { tags: [...tags, ...kept] });
    }
  }
}

const snapshot = (service: MinimalService) =>
  structuredClone([...service.policies.values()]).sort((a, b) => (a.id < b.id ? -1 : 1));

const ownerOf = ({ tags = [] }: { tags?: string[] }): string | undefined =>
  tags.find((tag) => tag.startsWith('govctl.owner:'))?.slice('govctl.owner:'.length);

describe('plan and apply, for any repo and any service', () => {
  it('leaves nothing to plan after an apply, and another apply has nothing to do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(repo, fc.array(handEdit, { maxLength: 4 }), fc.boolean()), {
          minLength: 1,
          maxLength: 4,
        }),
        async (rounds) => {
          const service = createMinimalService();
          const client = clientOf(service.fetch);
          for (const [local, edits, prune] of rounds) {
            editByHand(service, edits);
            const before = snapshot(service);
            const { plan, blocked } = await planNow(client, local, { prune });
            expect(snapshot(service)).toEqual(before);
            if (blocked.length > 0) continue;
            const result = await applyNow(client, plan);
            expect(result.results.filter(({ status }) => status !== 'applied')).toEqual([]);
            expect(result.results.flatMap(({ warnings = [] }) => warnings)).toEqual([]);
            const again = await planNow(client, local, { prune });
            expect(again.blocked).toEqual([]);
            expect(again.plan.changes).toEqual([]);
            expect(again.plan.summary.unchanged).toBe(local.length);
            const repeated = await applyNow(client, plan);
            expect(repeated.summary).toEqual({
              applied: 0,
              failed: 0,
              skipped: plan.changes.length,
              not_attempted: 0,
            });
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('never deletes without prune, and never touches what it does not own', async () => {
    await fc.assert(
      fc.asyncProperty(
        repo,
        fc.array(handEdit, { maxLength: 5 }),
        repo,
        fc.boolean(),
        async (first, edits, second, prune) => {
          const service = createMinimalService();
          const client = clientOf(service.fetch);
          await applyNow(client, (await planNow(client, first)).plan);
          editByHand(service, edits);
          const before = snapshot(service);
          const { plan, blocked } = await planNow(client, second, { prune });
          // The CLI refuses a plan with blocked policies; whoever applies it all the same does no harm either.
          await applyNow(client, plan).catch((error: { error: string }) => {
            if (blocked.length === 0 || error.error !== 'plan_stale') throw error;
          });
          for (const policy of before) {
            const now = service.policies.get(policy.id);
            if (ownerOf(policy) !== 'acme') expect(now).toEqual(policy);
            else if (!prune) expect(now).toBeDefined();
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('finishes, applied again, what failed half way at any request', async () => {
    await fc.assert(
      fc.asyncProperty(
        repo,
        repo,
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom('error' as const, 'cut' as const, 'cut-after' as const),
        async (first, second, failFrom, mishap) => {
          const service = createMinimalService();
          const client = clientOf(service.fetch);
          await applyNow(client, (await planNow(client, first)).plan);
          const { plan, blocked } = await planNow(client, second, { prune: true });
          if (blocked.length > 0) return;
          const start = service.requests.length;
          service.setFaults({
            onRequest: ({ count, method }) =>
              method !== 'GET' && count >= start + failFrom ? mishap : undefined,
          });
          await applyNow(client, plan);
          service.setFaults({});
          // The same saved plan goes on where it stopped.
          const resumed = await applyNow(client, plan);
          expect(resumed.summary).toMatchObject({ failed: 0, not_attempted: 0 });
          expect((await planNow(client, second, { prune: true })).plan.changes).toEqual([]);
          expect(service.policies.size).toBe(second.length);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('finishes, planned anew, what failed half way at any request', async () => {
    await fc.assert(
      fc.asyncProperty(
        repo,
        repo,
        fc.integer({ min: 1, max: 8 }),
        async (first, second, failFrom) => {
          const service = createMinimalService();
          const client = clientOf(service.fetch);
          await applyNow(client, (await planNow(client, first)).plan);
          const { plan } = await planNow(client, second, { prune: true });
          const start = service.requests.length;
          service.setFaults({
            onRequest: ({ count, method }) =>
              method !== 'GET' && count >= start + failFrom ? 'error' : undefined,
          });
          await applyNow(client, plan);
          service.setFaults({});
          const anew = await planNow(client, second, { prune: true });
          expect(anew.blocked).toEqual([]);
          expect((await applyNow(client, anew.plan)).summary).toMatchObject({ failed: 0 });
          expect((await planNow(client, second, { prune: true })).plan.changes).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('plan and apply against the real service', () => {
  let server: RunningServer;
  let client: Client;
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-converge-'));
  const key = 'gk_test_converge_0123456789';
  beforeAll(async () => {
    server = await startServer({
      host: '127.0.0.1',
      port: 0,
      dataDir: folder,
      store: 'lowdb',
      apiKey: key,
      allowTargets: [],
      rateLimit: 'off',
      metrics: false,
      logLevel: 'silent',
    });
    client = clientOf(server.fetch, key);
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  it('leaves nothing to plan after an apply, whatever was live before', async () => {
    await fc.assert(
      fc.asyncProperty(repo, repo, policyFields, async (first, second, edited) => {
        for await (const { id } of listAll(client, policyObjects))
          await deleteObject(client, policyObjects, id);
        await applyNow(client, (await planNow(client, first)).plan);
        for await (const { id, tags = [] } of listAll(client, policyObjects)) {
          await updateObject(client, policyObjects, { id, body: { ...edited, tags } });
        }
        const { plan, blocked } = await planNow(client, second, { prune: true });
        expect(blocked).toEqual([]);
        const { results } = await applyNow(client, plan);
        expect(results.filter(({ status, warnings }) => status !== 'applied' || warnings)).toEqual(
          [],
        );
        const again = await planNow(client, second, { prune: true });
        expect(again.plan.changes).toEqual([]);
        expect(again.plan.summary.unchanged).toBe(second.length);
      }),
      { numRuns: 40 },
    );
  });
});
