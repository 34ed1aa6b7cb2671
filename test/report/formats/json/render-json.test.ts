import { describe, expect, test } from 'vitest';
import { ReportFile } from '../../../../src/report/formats/json/report-schema.ts';
import { renderJson } from '../../../../src/report/formats/json/render-json.ts';
import { findingsTable, sampleReport, tableOf } from '../../../support/sample-report.ts';
import { counted, hostileReport, rendered, reportOf } from '../rendered.ts';

const read = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

describe('a report as JSON', () => {
  test('has the published shape, whatever is in it', async () => {
    for (const model of [sampleReport(), hostileReport(), { ...sampleReport(), sections: [] }]) {
      const file = ReportFile.parse(read(await rendered(renderJson, model)));
      expect(file.report.name).toBe(model.head.name);
    }
  });

  test('has rows by the ids of their columns', async () => {
    const { sections } = ReportFile.parse(read(await rendered(renderJson, sampleReport(3))));
    const [, table] = sections.find(({ id }) => id === 'findings')?.blocks ?? [];
    if (table?.kind !== 'table') throw new Error('there is no table');
    expect(table.row_count).toBe(3);
    expect(table.rows[1]).toMatchObject({ severity: 'LOW', control: 'CC6.6', age_days: 37 });
  });

  test('keeps columns apart that are named like what every object has', async () => {
    const columns = ['__proto__', 'constructor'].map((id) => ({ id, title: id, type: 'text', width: 1 }) as const); // prettier-ignore
    const table = tableOf({ id: 't', title: 'T', columns }, [['a', 'b']]);
    const text = (await rendered(renderJson, reportOf(sampleReport(), [table]))).toString();
    expect(text).toContain('{"__proto__":"a","constructor":"b"}');
  });

  test('is the same each time, and written in pieces', async () => {
    const model = reportOf(sampleReport(), [findingsTable(5_000)]);
    expect((await rendered(renderJson, model)).equals(await rendered(renderJson, model))).toBe(
      true,
    );
    expect((await counted(renderJson, model)).largest).toBeLessThan(200_000);
  });
});
