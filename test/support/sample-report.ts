import type {
  Block,
  Column,
  ReportHead,
  ReportModel,
  Row,
  Section,
  Table,
} from '../../src/report/model.ts';

/** A table of fixed rows, handed out some at a time. */
export const tableOf = (
  table: Omit<Table, 'kind' | 'rowCount' | 'rows' | 'empty'> & { readonly empty?: string },
  rows: readonly Row[],
): Table => ({
  kind: 'table',
  empty: 'There is nothing to show.',
  ...table,
  rowCount: rows.length,
  rows: () => batches(rows.length, (n) => rows[n] ?? []),
});

async function* batches(
  count: number,
  rowAt: (n: number) => Row,
): AsyncGenerator<readonly Row[], void> {
  for (let from = 0; from < count; from += 500) {
    yield Array.from({ length: Math.min(500, count - from) }, (_, n) => rowAt(from + n));
  }
}

const controls = [
  ['CC6.1', 'Logical access to information assets is restricted'],
  ['CC6.6', 'Access from outside the system boundary is controlled'],
  ['CC6.7', 'Data in transit and at rest is protected'],
  ['CC7.1', 'Changes of configuration that add vulnerabilities are detected'],
  ['CC7.2', 'System components are monitored for anomalies'],
  ['A1.2', 'Recovery infrastructure and backups are in place'],
] as const;

const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const;
const statuses = ['open', 'acknowledged', 'resolved', 'exempted'] as const;
const messages = [
  'The bucket can be read by anyone: its policy allows s3:GetObject to every principal.',
  'The database is not encrypted at rest.',
  'Port 22 is open to 0.0.0.0/0.',
  'The key has not been rotated for 412 days; 90 are allowed.',
  'Backups are kept for 1 day; 7 are asked for.',
] as const;
const names = [
  'customer-exports',
  'ledger',
  'bastion',
  '顧客データ',
  '审计日志',
  'данные',
  '로그-보관',
];

const pad = (n: number, width: number): string => String(n).padStart(width, '0');

/** One finding; the same for the same number. */
function sampleFinding(n: number): Row {
  const name = names[n % names.length] ?? '';
  const day = pad(1 + (n % 28), 2);
  return [
    `viol_01k${pad(n, 23)}`,
    severities[(n * 7) % 4] ?? 'LOW',
    statuses[(n * 3) % 4] ?? 'open',
    `arn:aws:s3:::acme-${n % 3 === 0 ? 'production' : 'staging'}-${name}-${n}`,
    messages[n % messages.length] ?? '',
    controls[n % controls.length]?.[0] ?? '',
    `2026-10-${day}T08:${pad(n % 60, 2)}:00.000Z`,
    (n * 37) % 400,
  ];
}

const findingColumns: readonly Column[] = [
  { id: 'id', title: 'Violation', type: 'id', width: 1.7 },
  { id: 'severity', title: 'Severity', type: 'severity', width: 1 },
  { id: 'status', title: 'Status', type: 'status', width: 1.1 },
  { id: 'resource', title: 'Resource', type: 'text', width: 2.4 },
  { id: 'message', title: 'Finding', type: 'text', width: 3.2 },
  { id: 'control', title: 'Control', type: 'text', width: 0.8 },
  { id: 'first_seen', title: 'First seen', type: 'timestamp', width: 1.3 },
  { id: 'age_days', title: 'Age (days)', type: 'integer', width: 0.7 },
];

/** As many findings as asked for, made while they are read. */
export const findingsTable = (rowCount: number): Table => ({
  kind: 'table',
  id: 'findings',
  title: 'Findings',
  columns: findingColumns,
  rowCount,
  rows: () => batches(rowCount, sampleFinding),
  empty: 'No violations were found.',
});

const head: ReportHead = {
  id: 'rpt_01kah7v2m4x9c0d3e5f6g7h8j9',
  name: 'SOC 2 evidence, October 2026',
  type: 'compliance',
  framework: 'soc2',
  description:
    'What stands between production and the SOC 2 controls, for the auditor’s interim visit.',
  generated_at: '2026-11-02T09:30:00.000Z',
  generated_by: 'user_01kah7v2m4x9c0d3e5f6g7h8ja',
  about: [
    { label: 'Environments', value: 'production, staging' },
    { label: 'Cloud providers', value: 'aws' },
    { label: 'From', value: '2026-10-01T00:00:00.000Z' },
    { label: 'To, and without', value: '2026-11-01T00:00:00.000Z' },
  ],
  generator: 'govctl 0.1.0',
  summary: {
    compliance_score: 87.25,
    total_violations: 64,
    critical: 3,
    high: 11,
    medium: 29,
    low: 21,
  },
  mainTable: 'findings',
};

const days = ['01', '06', '11', '16', '21', '26', '31'].map(
  (day) => `2026-10-${day}T06:00:00.000Z`,
);

const summaryBlocks: readonly Block[] = [
  {
    kind: 'paragraph',
    text:
      'Of 412 resources, 348 meet every policy that applies to them. The score rose by 4.5 points over the month, ' +
      'mostly because storage is now encrypted. Three critical violations are open.',
  },
  {
    kind: 'figures',
    items: [
      { label: 'Score', value: '87.25%', tone: 'warn', note: '+4.5 since 1 October' },
      { label: 'Critical', value: '3', tone: 'bad', note: 'open' },
      { label: 'High', value: '11', tone: 'warn' },
      { label: 'Resources', value: '412', tone: 'neutral', note: '2 environments' },
      { label: 'Controls met', value: '4 of 6', tone: 'good' },
    ],
  },
  {
    kind: 'notice',
    tone: 'bad',
    text: 'Three critical violations have been open for more than 30 days.',
  },
  { kind: 'notice', tone: 'neutral', text: 'Two exemptions end within 14 days.' },
  { kind: 'heading', text: 'By severity' },
  {
    kind: 'chart',
    id: 'severity',
    title: 'Violations by severity',
    description: 'Of 64 violations 3 are critical, 11 high, 29 medium and 21 low.',
    form: 'ring',
    categories: ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'],
    series: [{ name: 'Violations', colour: 'first', values: [3, 11, 29, 21] }],
    colours: ['critical', 'high', 'medium', 'low'],
    unit: 'violations',
  },
  {
    kind: 'chart',
    id: 'score',
    title: 'Score over time',
    description:
      'The score rose from 82.75% on 1 October to 87.25% on 31 October; on 16 October nothing was scanned.',
    form: 'lines',
    categories: days,
    series: [
      { name: 'All', colour: 'first', values: [82.75, 83, 83.5, null, 86, 86.5, 87.25] },
      { name: 'Production', colour: 'second', values: [78, 78, 80.25, null, 84, 84, 85] },
    ],
    unit: '%',
    most: 100,
  },
];

const controlRows: readonly Row[] = controls.map(([id, title], n) => [
  id,
  title,
  n % 3 === 2 ? 'not met' : 'met',
  100 - n * 6.25,
  40 + n * 17,
  n,
  n === 3 ? null : `2026-10-${pad(20 + n, 2)}`,
]);

const controlBlocks: readonly Block[] = [
  {
    kind: 'chart',
    id: 'controls',
    title: 'Checks by control',
    description: 'Most checks passed; CC6.7 has the most that failed, 31 of 120.',
    form: 'bars',
    categories: controls.map(([id]) => id),
    series: [
      { name: 'Passed', colour: 'pass', values: [118, 74, 89, 60, 71, 12] },
      { name: 'Failed', colour: 'fail', values: [2, 6, 31, 0, 9, 1] },
      { name: 'Exempt', colour: 'exempt', values: [0, 1, 4, 0, 0, 2] },
    ],
    unit: 'checks',
  },
  tableOf(
    {
      id: 'controls',
      title: 'Controls',
      columns: [
        { id: 'control', title: 'Control', type: 'id', width: 0.8 },
        { id: 'title', title: 'What it asks for', type: 'text', width: 4 },
        { id: 'status', title: 'Status', type: 'status', width: 1 },
        { id: 'score', title: 'Score', type: 'percent', width: 0.9 },
        { id: 'checks', title: 'Checks', type: 'integer', width: 0.9 },
        { id: 'failed', title: 'Failed', type: 'integer', width: 0.9 },
        { id: 'last_change', title: 'Last change', type: 'date', width: 1.2 },
      ],
    },
    controlRows,
  ),
  { kind: 'heading', text: 'Evidence' },
  tableOf(
    {
      id: 'evidence',
      title: 'Where the evidence is',
      columns: [
        { id: 'control', title: 'Control', type: 'id', width: 0.8 },
        { id: 'policy', title: 'Policy', type: 'text', width: 2 },
        { id: 'address', title: 'Address', type: 'text', width: 3 },
        { id: 'automated', title: 'Automated', type: 'text', width: 1 },
      ],
    },
    [
      [
        'CC6.1',
        'No public buckets',
        'https://governance.example.com/policies/no-public-buckets',
        true,
      ],
      [
        'CC6.7',
        'Encryption at rest — хранение, αποθήκευση, 静态加密, 保管時の暗号化, 저장 암호화',
        'https://governance.example.com/policies/encryption?region=eu-central-1&view=full',
        true,
      ],
      ['A1.2', 'Backups', 'kept by hand', false],
    ],
  ),
];

/**
 * A compliance report that has every kind of block, the same each time.
 * @param findings the rows of its main table
 */
export function sampleReport(findings = 64): ReportModel {
  const sections: readonly Section[] = [
    { id: 'summary', title: 'Executive summary', blocks: summaryBlocks },
    { id: 'controls', title: 'Controls', blocks: controlBlocks },
    {
      id: 'findings',
      title: 'Detailed findings',
      blocks: [
        { kind: 'paragraph', text: 'The worst come first; of the same severity, the oldest.' },
        findingsTable(findings),
      ],
    },
    {
      id: 'exemptions',
      title: 'Exemptions',
      blocks: [
        tableOf(
          {
            id: 'exemptions',
            title: 'Exemptions',
            columns: [
              { id: 'resource', title: 'Resource', type: 'text', width: 3 },
              { id: 'reason', title: 'Reason', type: 'text', width: 3 },
              { id: 'expires', title: 'Ends', type: 'date', width: 1 },
            ],
            empty: 'There are no exemptions.',
          },
          [],
        ),
      ],
    },
  ];
  return { head, sections };
}
