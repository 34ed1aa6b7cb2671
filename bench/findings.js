// Findings for measuring: the rows of a large report, the same for both sides.
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];
const statuses = ['open', 'acknowledged', 'resolved', 'exempted'];
const messages = [
  'The bucket can be read by anyone: its policy allows s3:GetObject to every principal.',
  'The database is not encrypted at rest.',
  'Port 22 is open to 0.0.0.0/0.',
  'The key has not been rotated for 412 days; 90 are allowed.',
];
const names = ['customer-exports', 'ledger', 'bastion', 'данные', '审计日志'];

export const findingColumns = [
  { id: 'id', title: 'Violation', type: 'id', width: 1.7 },
  { id: 'severity', title: 'Severity', type: 'severity', width: 1 },
  { id: 'status', title: 'Status', type: 'status', width: 1.1 },
  { id: 'resource', title: 'Resource', type: 'text', width: 2.4 },
  { id: 'message', title: 'Finding', type: 'text', width: 3.2 },
  { id: 'control', title: 'Control', type: 'text', width: 0.8 },
  { id: 'first_seen', title: 'First seen', type: 'timestamp', width: 1.3 },
  { id: 'age_days', title: 'Age (days)', type: 'integer', width: 0.7 },
];

export const findingRow = (n) => [
  `viol_01k${String(n).padStart(23, '0')}`,
  severities[(n * 7) % 4],
  statuses[(n * 3) % 4],
  `arn:aws:s3:::acme-${n % 3 ? 'staging' : 'production'}-${names[n % names.length]}-${n}`,
  messages[n % messages.length],
  `CC6.${n % 8}`,
  `2026-10-${String(1 + (n % 28)).padStart(2, '0')}T08:00:00.000Z`,
  (n * 37) % 400,
];
