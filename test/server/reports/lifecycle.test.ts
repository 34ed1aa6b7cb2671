import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredReport } from '../../../src/server/reports/collection.ts';
import { startProcesses } from './report-processes.ts';

type Processes = Awaited<ReturnType<typeof startProcesses>>;

const minute = 60_000;

type Step =
  | { readonly do: 'create'; readonly inMinutes?: number }
  | { readonly do: 'delete'; readonly which: number }
  | { readonly do: 'advance'; readonly minutes: number }
  | { readonly do: 'gate'; readonly open: boolean }
  | { readonly do: 'crash' | 'restart' | 'turns' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: 'create' } as const) },
  fc.record({ do: fc.constant('create' as const), inMinutes: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ do: fc.constant('delete' as const), which: fc.nat({ max: 5 }) }),
  fc.record({ do: fc.constant('advance' as const), minutes: fc.integer({ min: 1, max: 20 }) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('gate' as const), open: fc.boolean() }) },
  { weight: 3, arbitrary: fc.constant({ do: 'crash' } as const) },
  fc.constant({ do: 'restart' } as const),
  { weight: 3, arbitrary: fc.constant({ do: 'turns' } as const) },
);

async function take(processes: Processes, taken: Step, known: string[]): Promise<void> {
  switch (taken.do) {
    case 'create': {
      const { inMinutes } = taken;
      const due = new Date(processes.now() + (inMinutes ?? 0) * minute).toISOString();
      const delivery = inMinutes === undefined ? {} : { delivery: { scheduled_at: due } };
      known.push(await processes.create(delivery));
      return;
    }
    case 'delete': {
      const [id] = known.splice(taken.which, 1);
      if (id !== undefined) await processes.remove(id);
      return;
    }
    case 'advance':
      processes.advance(taken.minutes * minute);
      return;
    case 'gate':
      processes.setGate(taken.open);
      return;
    case 'turns':
      return processes.someTurns();
    default:
      return processes[taken.do]();
  }
}

/** What holds at any moment. */
function checkStates(reports: readonly StoredReport[], known: readonly string[]): void {
  expect(reports.map(({ id }) => id).sort()).toEqual([...known].sort());
  for (const report of reports) {
    expect(report.result !== undefined).toBe(report.status === 'completed');
    expect(report.failure !== undefined).toBe(report.status === 'failed');
    expect(report.progress !== undefined).toBe(report.status === 'generating');
    expect(report.attempts).toBeLessThanOrEqual(4);
    if (report.status === 'generating') expect(report.attempts).toBeGreaterThan(0);
  }
}

test('whatever happens, each report ends once, with all of its files, and none is left over', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const processes = await startProcesses();
      try {
        const known: string[] = [];
        let crashes = 0;
        for (const taken of steps) {
          await take(processes, taken, known);
          if (taken.do === 'crash') crashes += 1;
          checkStates(await processes.all(), known);
        }
        processes.setGate(true);
        processes.advance(60 * minute);
        await processes.idle();
        const ended = await processes.all();
        checkStates(ended, known);
        const told = await processes.told();
        for (const { id, status } of ended) {
          expect(['completed', ...(crashes > 3 ? ['failed'] : [])]).toContain(status);
          expect(await processes.timesEnded(id)).toBe(1);
          const times = (type: string): number =>
            told.filter((one) => one === `${type} ${id}`).length;
          expect(times('compliance.report.generated')).toBe(status === 'completed' ? 1 : 0);
          expect(times('compliance.audit.started')).toBe(1);
        }
        const blobs = ended.flatMap(({ result }) => [
          ...(result?.model ?? []),
          ...(result?.files ?? []).map(({ blob }) => blob),
        ]);
        expect([...(await processes.blobs())].sort()).toEqual(blobs.sort());
      } finally {
        await processes.close();
      }
    }),
    { numRuns: 12 },
  );
});

test('one that takes the service down is begun four times, then has failed', async () => {
  const processes = await startProcesses();
  try {
    processes.setGate(false);
    const id = await processes.create();
    const other = await processes.create({ delivery: { scheduled_at: '2026-03-01T13:00:00Z' } });
    for (let times = 1; times <= 4; times += 1) {
      let begun = 0;
      while (begun < times) {
        await processes.someTurns();
        begun = (await processes.all()).find((one) => one.id === id)?.attempts ?? 0;
      }
      await processes.crash();
    }
    await processes.idle();
    const [failed] = (await processes.all()).filter((one) => one.id === id);
    expect(failed?.status).toBe('failed');
    expect(failed?.failure?.reason).toMatch(/stopped unexpectedly .* 4 times/);
    expect(await processes.timesEnded(id)).toBe(1);
    expect(processes.counts()).toMatchObject({ failed: 1, completed: 0 });
    processes.setGate(true);
    processes.advance(120 * minute);
    await processes.idle();
    expect((await processes.all()).find((one) => one.id === other)?.status).toBe('completed');
  } finally {
    await processes.close();
  }
});
