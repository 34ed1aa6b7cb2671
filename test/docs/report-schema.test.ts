import { expect, it } from 'vitest';
import { reportJsonSchema } from '../../src/report/formats/json/report-schema.ts';

it('docs/reference/report.schema.json is the schema of report files', async () => {
  await expect(`${JSON.stringify(reportJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../docs/reference/report.schema.json',
  );
});
