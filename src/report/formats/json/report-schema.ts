import * as z from 'zod';
import { reportTypes } from '../../../contract/reports.ts';
import { reportSchemaId } from './schema-id.ts';

const tone = z.enum(['good', 'bad', 'warn', 'neutral']);
const colour = z.enum([
  'critical',
  'high',
  'medium',
  'low',
  'pass',
  'fail',
  'exempt',
  'error',
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'others',
]);
const cellType = z.enum([
  'text',
  'id',
  'integer',
  'decimal',
  'percent',
  'money',
  'timestamp',
  'date',
  'severity',
  'status',
]);
const labelled = { label: z.string(), value: z.string() };
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const summary = z.strictObject({
  compliance_score: z
    .number()
    .nullable()
    .describe('0 to 100, two decimals; null where nothing was evaluated'),
  total_violations: z.int(),
  critical: z.int(),
  high: z.int(),
  medium: z.int(),
  low: z.int(),
});

const report = z.strictObject({
  id: z.string(),
  name: z.string(),
  type: z.enum(reportTypes),
  framework: z.string().optional(),
  description: z.string().optional(),
  generated_at: z.string().describe('ISO 8601, UTC'),
  timezone: z.string().optional().describe('Time zone of times in text; default: UTC'),
  organization: z.string().optional().describe('Organization that owns the policies'),
  prepared_for: z.string().optional().describe('Recipient of the report'),
  prepared_by: z
    .string()
    .optional()
    .describe('Name of the person, key or client that requested the report'),
  generated_by: z.string(),
  generator: z.string().describe('Program that generated the report, such as `govctl 0.1.0`'),
  about: z.array(z.strictObject(labelled)).describe('Subjects of the report, in display order'),
  period: z.string().optional().describe('Period of the report, in words'),
  notices: z.array(z.string()).optional().describe('Notes required to interpret the summary'),
  summary,
  main_table: z.string().describe('The ID of the table that the CSV file contains'),
});

const chart = z.strictObject({
  kind: z.literal('chart'),
  id: z.string(),
  title: z.string(),
  description: z.string(),
  form: z.enum(['bars', 'lines', 'ring']),
  drawn: z
    .enum(['columns', 'waterfall'])
    .optional()
    .describe('How the chart is drawn, if not in the usual way for its form'),
  categories: z.array(z.string()),
  series: z.array(
    z.strictObject({
      name: z.string(),
      colour,
      values: z
        .array(z.number().nullable())
        .describe('One value per category; null means no value'),
    }),
  ),
  colours: z.array(colour).optional(),
  unit: z.string().optional(),
  most: z.number().optional().describe('The maximum of the scale, if known'),
});

const table = z.strictObject({
  kind: z.literal('table'),
  id: z.string(),
  title: z.string(),
  columns: z.array(z.strictObject({ id: z.string(), title: z.string(), type: cellType })),
  empty: z.string().describe('Text to show if there are no rows'),
  rows: z.array(z.record(z.string(), cell)).describe('Cells by the IDs of their columns'),
  row_count: z.int(),
});

const block = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('heading'), text: z.string() }),
  z.strictObject({ kind: z.literal('paragraph'), text: z.string() }),
  z.strictObject({ kind: z.literal('notice'), tone, text: z.string() }),
  z.strictObject({
    kind: z.literal('figures'),
    items: z.array(
      z.strictObject({ ...labelled, tone: tone.optional(), note: z.string().optional() }),
    ),
  }),
  chart,
  table,
]);

/** A report as JSON. Fields may be added in version 1; none changes its meaning, and none goes. */
export const ReportFile = z.strictObject({
  $schema: z.literal(reportSchemaId),
  format_version: z.literal(1),
  report,
  sections: z.array(
    z.strictObject({
      id: z.string().describe('A slug, unique in its report'),
      title: z.string(),
      blocks: z.array(block),
    }),
  ),
});

/** The published schema: it lets through fields that a later release adds. */
export function reportJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(ReportFile, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return { $schema, $id: reportSchemaId, title: 'A govctl report in JSON', ...schema };
}
