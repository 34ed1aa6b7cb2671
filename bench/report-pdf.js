// A compliance report of 50 pages as PDF: beside bare pdfkit that writes the same text and tables with the same fonts.
import { rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'tsup';
import { comparePairs, peer, root, runNode, tempFolder } from './harness.js';

export const title = 'report as PDF';

const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];
const statuses = ['open', 'acknowledged', 'resolved', 'exempted'];
const messages = [
  'The bucket can be read by anyone: its policy allows s3:GetObject to every principal.',
  'The database is not encrypted at rest.',
  'Port 22 is open to 0.0.0.0/0.',
  'The key has not been rotated for 412 days; 90 are allowed.',
];
const names = ['customer-exports', 'ledger', 'bastion', 'данные', '审计日志'];

const column = (id, title, type, width) => ({ id, title, type, width });

/** About 50 pages; plain data, that both sides read. */
const report = () => ({
  head: {
    id: 'rpt_01kah7v2m4x9c0d3e5f6g7h8j9',
    name: 'SOC 2 evidence',
    type: 'compliance',
    framework: 'soc2',
    generated_at: '2026-11-02T09:30:00.000Z',
    generated_by: 'user_01kah7v2m4x9c0d3e5f6g7h8ja',
    about: [{ label: 'Environments', value: 'production' }],
    generator: 'govctl',
    summary: {
      compliance_score: 87.25,
      total_violations: 1_000,
      critical: 250,
      high: 250,
      medium: 250,
      low: 250,
    },
    mainTable: 'findings',
  },
  sections: [
    {
      id: 'summary',
      title: 'Executive summary',
      blocks: Array.from({ length: 12 }, (_, n) => ({
        kind: 'paragraph',
        text: `Paragraph ${n}. ${'Of 412 resources, 348 meet every policy that applies to them. '.repeat(6)}`,
      })),
    },
    {
      id: 'findings',
      title: 'Detailed findings',
      blocks: [
        {
          kind: 'table',
          id: 'findings',
          title: 'Findings',
          empty: 'None.',
          columns: [
            column('id', 'Violation', 'id', 1.7),
            column('severity', 'Severity', 'severity', 1),
            column('status', 'Status', 'status', 1.1),
            column('resource', 'Resource', 'text', 2.4),
            column('message', 'Finding', 'text', 3.2),
            column('control', 'Control', 'text', 0.8),
            column('first_seen', 'First seen', 'timestamp', 1.3),
            column('age_days', 'Age (days)', 'integer', 0.7),
          ],
          cells: Array.from({ length: 1_000 }, (_, n) => [
            `viol_01k${String(n).padStart(23, '0')}`,
            severities[(n * 7) % 4],
            statuses[(n * 3) % 4],
            `arn:aws:s3:::acme-${n % 3 ? 'staging' : 'production'}-${names[n % names.length]}-${n}`,
            messages[n % messages.length],
            `CC6.${n % 8}`,
            `2026-10-${String(1 + (n % 28)).padStart(2, '0')}T08:00:00.000Z`,
            (n * 37) % 400,
          ]),
        },
      ],
    },
  ],
});

export async function measure({ runs }) {
  const folder = tempFolder();
  // Within the project, so that it finds its packages.
  const built = path.join(root, '.govctl', `bench-report-${process.pid}`);
  await build({
    entry: { 'render-pdf': path.join(root, 'src/report/formats/pdf/render-pdf.ts') },
    outDir: built,
    format: 'esm',
    target: 'node20',
    silent: true,
    config: false,
  });
  const data = path.join(folder, 'report.json');
  writeFileSync(data, JSON.stringify(report()));
  const file = (name) => path.join(folder, `${name}.pdf`);
  let pages = '';
  let peak = 0;
  try {
    const times = await comparePairs(
      async () => {
        const script = path.join(root, 'bench', 'write-report.js');
        const run = await runNode([script, path.join(built, 'render-pdf.js'), data, file('ours')], {
          memory: true,
        });
        pages = run.stdout.trim();
        peak = Math.max(peak, run.peak);
        return run.ms;
      },
      async () => (await runNode([peer('bare-pdfkit.js'), data, file('peer')])).ms,
      runs,
    );
    const kib = (name) => Math.round(statSync(file(name)).size / 1024);
    return [
      {
        figure: `PDF of ${pages} pages, tagged, with contents`,
        ours: times.ours,
        theirs: times.peer,
        unit: 'ms',
        peer: 'bare pdfkit, same text and fonts',
        ratio: times.ratio,
        limit: { most: 3 },
        note: `${kib('ours')} KiB, peer ${kib('peer')} KiB`,
        peak,
      },
    ];
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}
