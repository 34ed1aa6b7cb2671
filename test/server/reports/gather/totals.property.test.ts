import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportTypes } from '../../../../src/contract/reports.ts';
import type { Finding } from '../../../../src/contract/findings.ts';
import { complianceScore, emptyTally, tally } from '../../../../src/engine/score.ts';
import type { Cell } from '../../../../src/report/model.ts';
import { inventoryOf } from '../../inventory-service.ts';
import { startTestService } from '../../test-service.ts';
import { told } from './content-world.ts';

const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const;
const environments = ['production', 'dev', undefined] as const;
const hour = 3_600_000;

const change = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      id: fc.integer({ min: 0, max: 5 }),
      public: fc.constantFrom(true, false, undefined),
      environment: fc.constantFrom(...environments),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('policy' as const),
      id: fc.integer({ min: 0, max: 3 }),
      severity: fc.constantFrom(...severities),
      condition: fc.constantFrom('resource.public', '!resource.public', 'has(resource.public)'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('exempt' as const),
      id: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      id: fc.integer({ min: 0, max: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('forget' as const),
      id: fc.integer({ min: 0, max: 3 }),
    }),
  },
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

async function worldOf(changes: readonly Change[]) {
  const service = await startTestService();
  const inventory = inventoryOf(service);
  const policies = new Map<number, string>();
  for (const one of changes) {
    service.advance(hour);
    const rules = 'condition' in one ? [{ condition: one.condition, effect: 'DENY' }] : [];
    switch (one.do) {
      case 'put':
        await inventory.put(`r${one.id}`, { public: one.public, environment: one.environment });
        break;
      case 'policy': {
        const { severity } = one;
        const known = policies.get(one.id);
        if (known) await inventory.changePolicy(known, { severity, rules });
        else policies.set(one.id, await inventory.createPolicy(`p${one.id}`, { severity, rules }));
        break;
      }
      case 'exempt':
        if (policies.has(one.id)) {
          await inventory.exempt({ policy: `p${one.id}`, resources: ['r1', 'r3'] });
        }
        break;
      case 'remove':
        await service.send('DELETE', `/v1/resources/r${one.id}`);
        break;
      case 'forget':
        await service.send('DELETE', `/v1/policies/${policies.get(one.id) ?? 'pol_none'}`);
        policies.delete(one.id);
    }
    await service.evaluator.run();
  }
  return { service, inventory };
}

const sum = (rows: readonly Readonly<Record<string, Cell>>[], field: string): number =>
  rows.reduce((total, row) => total + Number(row[field] ?? 0), 0);

describe('the figures of reports, whatever happened', () => {
  it('agree with each other, with the violations of the API and with the score of the engine', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 14 }), async (changes) => {
        const { service, inventory } = await worldOf(changes);
        try {
          const listed = await inventory.violations('limit=100');
          const open = listed.filter(({ status }) => status === 'OPEN');
          const summaries = [];
          for (const type of reportTypes) {
            const { model, table } = await told(service, { type });
            summaries.push(model.head.summary);
            switch (type) {
              case 'compliance': {
                const findings = table('findings');
                const standing = listed.filter(({ status }) => status !== 'RESOLVED');
                expect(findings.map((row) => row.violation_id).sort()).toEqual(
                  standing.map(({ id }) => id).sort(),
                );
                expect(sum(table('by_environment'), 'open')).toBe(open.length);
                expect(sum(table('by_provider'), 'open')).toBe(open.length);
                expect(sum(table('by_severity'), 'open')).toBe(open.length);
                expect(sum(table('policies'), 'open')).toBe(open.length);
                break;
              }
              case 'audit': {
                const evaluations = table('evaluations');
                const found = evaluations.map(({ status, severity }) => ({ status, severity }));
                // As the engine names them.
                const tallied = tally(emptyTally, found as unknown as readonly Finding[]);
                expect(complianceScore(tallied)).toBe(model.head.summary.compliance_score);
                expect(sum(table('policies'), 'evaluations')).toBe(tallied.evaluated);
                expect(table('status_changes')).toHaveLength(
                  listed.reduce((total, { history }) => total + history.length, 0),
                );
                break;
              }
              case 'risk':
                expect(table('violations')).toHaveLength(open.length);
                expect(sum(table('violations'), 'points')).toBeCloseTo(
                  sum(table('by_environment'), 'points'),
                  0,
                );
                expect(sum(table('top_resources'), 'open')).toBe(open.length);
                break;
              case 'trend':
                expect(table('periods').at(-1)?.open ?? 0).toBe(open.length);
                expect(
                  sum(table('periods'), 'opened') -
                    sum(table('periods'), 'resolved') -
                    sum(table('periods'), 'exempted'),
                ).toBe(open.length);
                for (const field of ['opened', 'resolved', 'exempted']) {
                  const total = sum(table('periods'), field);
                  expect(sum(table('policies_changed'), field)).toBe(total);
                  expect(sum(table('environments_changed'), field)).toBe(total);
                }
                expect(sum(table('time_to_resolve'), 'resolved')).toBe(
                  sum(table('periods'), 'resolved'),
                );
                break;
              case 'remediation':
                expect(table('violations')).toHaveLength(open.length);
                expect(sum(table('actions'), 'open')).toBe(open.length);
            }
          }
          const [first] = summaries;
          expect(summaries).toEqual(summaries.map(() => first));
          expect(first).toMatchObject({
            total_violations: open.length,
            critical: open.filter(({ severity }) => severity === 'CRITICAL').length,
            low: open.filter(({ severity }) => severity === 'LOW').length,
          });
        } finally {
          await service.close();
        }
      }),
      { numRuns: 12 },
    );
  });
});
