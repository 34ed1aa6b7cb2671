// Whatever an export looks like, what is stored is the plain sum of its charges.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { showAmount } from '../../../src/cost/amount.ts';
import { costSums } from '../../../src/server/cost/service.ts';
import type { CostField } from '../../../src/server/cost/service.ts';
import { openDuck } from '../../support/duck.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import {
  cellsOf,
  fields,
  measures,
  plainAmount,
  someCharges,
  someDelivery,
  write,
} from './any-focus.ts';
import type { Broken, Charge, Delivery, Written } from './any-focus.ts';
import { importFiles } from './import-files.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let runs = 0;
/** Accounts of their own for each run, so that runs replace nothing of each other. */
const own = (charges: readonly Charge[]): readonly Charge[] => {
  runs += 1;
  return charges.map((one) => ({ ...one, BillingAccountId: `${runs} ${one.BillingAccountId}` }));
};

interface Sent {
  readonly files: readonly (Written & { readonly name: string })[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** @param broken its row is a number of all charges */
function deliver(
  charges: readonly Charge[],
  { forms, shares, dayFirst }: Delivery,
  broken?: Broken,
): Sent {
  const files = forms.flatMap((form, file) => {
    const isHere = (_: unknown, n: number): boolean =>
      (shares[n % shares.length] ?? 0) % forms.length === file;
    const here = charges.filter(isHere);
    if (here.length === 0) return [];
    const row = here.indexOf(charges[broken?.row ?? -1] as Charge);
    const own = broken && row >= 0 ? { ...broken, row } : undefined;
    const written = write(here, form, dayFirst, own);
    return [{ name: `file ${file}`, ...written }];
  });
  const format = dayFirst ? 'DD/MM/YYYY' : 'MM/DD/YYYY';
  const isAmbiguous = files.some((one) => one.isAmbiguous);
  return { files, options: isAmbiguous ? { date_format: format } : {} };
}

async function stored(
  charges: readonly Charge[],
  by: readonly string[],
  measure: string,
): Promise<string[]> {
  const sums = await costSums(service.deps.store, {
    start: '2025-01-01',
    end: '2027-01-01',
    groupBy: by as (CostField | 'day')[],
    where: { billing_account: [...new Set(charges.map((one) => one.BillingAccountId))] },
    measure: measure as 'billed',
  });
  return sums.map(({ key, total }) => JSON.stringify([...key, showAmount(total)])).sort();
}

function summed(charges: readonly Charge[], by: readonly string[], measure: string): string[] {
  const sums = new Map<string, bigint>();
  for (const charge of charges) {
    const key = JSON.stringify(by.map((field) => fields[field]?.(charge)));
    sums.set(key, (sums.get(key) ?? 0n) + (measures[measure]?.(charge) ?? 0n));
  }
  return [...sums]
    .map(([key, sum]) => JSON.stringify([...(JSON.parse(key) as string[]), plainAmount(sum)]))
    .sort();
}

async function expectStored(
  charges: readonly Charge[],
  by: readonly string[],
  measure: string,
): Promise<void> {
  const found = await stored(charges, by, measure);
  expect([by, measure, found]).toEqual([by, measure, summed(charges, by, measure)]);
}

it('charges are stored as they are added up plainly, however their files are written, and again change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(someCharges, someDelivery, someDelivery, async (some, first, again) => {
      const charges = own(some);
      const sent = deliver(charges, first);
      const done = await importFiles(service, sent.files, sent.options);
      expect([done.failure, done.result?.rejected_rows]).toEqual([undefined, []]);
      expect(done.result?.rows).toBe(charges.length);
      for (const measure of Object.keys(measures)) {
        await expectStored(charges, Object.keys(fields), measure);
      }
      for (const field of Object.keys(fields)) {
        await expectStored(charges, [field, 'currency'], 'effective');
      }
      // In other files, in another form.
      const other = deliver(charges, again);
      const { failure, result } = await importFiles(service, other.files, other.options);
      expect([failure, result?.changes]).toMatchObject([undefined, { added: 0, replaced: 0 }]);
    }),
    { numRuns: 25, endOnFailure: true },
  );
}, 120_000);

it('charges in Parquet are stored as they are added up plainly', async () => {
  const duck = await openDuck();
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-any-focus-'));
  try {
    await fc.assert(
      fc.asyncProperty(someCharges, someDelivery, async (some, { forms: [form] }) => {
        if (!form) return;
        const charges = own(some);
        const rows = charges.map((one) =>
          cellsOf(one, { ...form, chargeStart: 'zulu', more: ['x_Any'] }, false),
        );
        const types = Object.keys(rows[0] ?? {}).map((name) => [name, 'VARCHAR']);
        const json = path.join(folder, `${runs}.json`);
        const parquet = path.join(folder, `${runs}.parquet`);
        await writeFile(json, rows.map((row) => JSON.stringify(row)).join('\n'));
        const columns = JSON.stringify(Object.fromEntries(types)).replaceAll(
          '"VARCHAR"',
          "'VARCHAR'",
        );
        await duck.run(
          `COPY (SELECT * FROM read_json('${json}', format = 'newline_delimited', columns = ${columns}))
           TO '${parquet}' (FORMAT PARQUET)`,
        );
        const bytes = await readFile(parquet);
        const options = { date_format: 'MM/DD/YYYY' };
        const { failure } = await importFiles(service, [{ name: 'a', bytes }], options);
        expect(failure).toBeUndefined();
        for (const measure of Object.keys(measures)) {
          await expectStored(charges, Object.keys(fields), measure);
        }
      }),
      { numRuns: 5, endOnFailure: true },
    );
  } finally {
    duck.close();
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);

const breaks = [
  ['BilledCost', 'NaN'],
  ['EffectiveCost', '1e308'],
  ['ChargePeriodStart', 'yesterday'],
  ['BillingPeriodStart', ''],
  ['Tags', 'x'],
  ['BillingCurrency', ''],
  ['BillingAccountId', 'a'.repeat(3_000)],
] as const;

it('a broken row anywhere refuses all with its file, line and column, and nothing changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      someCharges,
      someDelivery,
      fc.constantFrom(...breaks),
      fc.nat(),
      async (some, delivery, [column, text], at) => {
        const charges = own(some);
        const before = charges.map((one) => ({ ...one, BilledCost: 1n }));
        const good = deliver(before, delivery);
        expect((await importFiles(service, good.files, good.options)).failure).toBeUndefined();
        const broken = { row: at % charges.length, column, text };
        const sent = deliver(charges, delivery, broken);
        const done = await importFiles(service, sent.files, sent.options);
        const file = sent.files.find(({ place }) => place);
        expect(done.failure?.reason).toContain('A row cannot be read');
        expect(done.result?.rejected_rows).toEqual([
          expect.objectContaining({ file: file?.name, ...file?.place }),
        ]);
        expect(done.result?.rejected_rows[0]?.field?.toLowerCase()).toBe(column.toLowerCase());
        for (const measure of ['billed', 'effective']) {
          await expectStored(before, ['day', 'currency'], measure);
        }
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
}, 120_000);
