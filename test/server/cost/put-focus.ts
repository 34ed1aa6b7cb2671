import { AmountSum, showAmount } from '../../../src/cost/amount.ts';
import { RecordReader } from '../../../src/cost/focus/reader.ts';
import type { CostRecord } from '../../../src/cost/focus/record.ts';
import { CsvReader } from '../../../src/cost/read/csv.ts';
import { PeriodTable } from '../../../src/cost/table/table.ts';
import { costPeriods, periodId } from '../../../src/server/cost/collection.ts';
import { timestamp } from '../../../src/server/deps.ts';
import type { TestService } from '../test-service.ts';

/** By which the charges of tests can be grouped. */
const tags = ['environment', 'owner', 'team'];

/** Has a service store the charges of a FOCUS file in CSV, without an import. */
export async function putFocus({ deps }: TestService, csv: string): Promise<void> {
  const byPeriod = new Map<string, CostRecord[]>();
  for (const record of recordsOf(csv)) {
    const id = periodId(record);
    byPeriod.set(id, [...(byPeriod.get(id) ?? []), record]);
  }
  for (const [id, records] of byPeriod) {
    const [first] = records;
    if (!first) continue;
    const { provider, billing_account, period } = first;
    const table = new PeriodTable(tags);
    for (const record of records) table.add(record);
    const blob = deps.ids.next('cst');
    const writer = await deps.store.blobs.create(blob);
    for await (const part of table.write()) await writer.write(part);
    const { size, sha256 } = await writer.finish();
    const days = records.map(({ day }) => day).sort();
    const doc = {
      id,
      provider,
      billing_account,
      period,
      import_id: deps.ids.next('imp'),
      imported_at: timestamp(deps.clock.now()),
      content: sha256,
      rows: records.length,
      skipped: 0,
      first_day: days[0] ?? '',
      last_day: days.at(-1) ?? '',
      tags,
      totals: [...new Set(records.map(({ currency }) => currency))].map((currency) => {
        const own = records.filter((record) => record.currency === currency);
        const sum = (measure: 'billed' | 'effective' | 'list'): string => {
          const all = new AmountSum();
          for (const { amounts } of own) all.add(amounts[measure]);
          return showAmount(all.total);
        };
        return {
          currency,
          billed: sum('billed'),
          effective: sum('effective'),
          list: sum('list'),
        };
      }),
      charges: { blob, size, sha256 },
    };
    await deps.store.transact(async (tx) => {
      const known = await tx.get(costPeriods, id);
      await (known ? tx.replace(costPeriods, doc) : tx.insert(costPeriods, doc));
    });
  }
}

function recordsOf(csv: string): readonly CostRecord[] {
  const records: CostRecord[] = [];
  let reader: RecordReader | undefined;
  const rows = new CsvReader({
    delimiter: ',',
    onRow(row) {
      if (!reader) {
        reader = new RecordReader(row, new Set(tags));
        return;
      }
      const record = reader.read(row);
      if ('message' in record) throw new Error(`${record.column} ${record.message}`);
      records.push(record);
    },
  });
  rows.push(Buffer.from(csv));
  rows.end();
  return records;
}
