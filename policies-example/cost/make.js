// Makes the files beside it, which `govctl demo` imports: two months of cost of a made-up web shop as FOCUS 1.0
// (focus.csv), and the utilization of its application server (utilization.ndjson). Nothing is random, so it always
// makes the same bytes.
//
//   node policies-example/cost/make.js [DIRECTORY]
//
// The resources are those of ../infrastructure/snapshot.json. What there is to find:
// - less traffic at the weekend;
// - requests to a public bucket that cost several times the usual on 20 and 21 November: an anomaly;
// - taxes each day, a credit on the third of a month: they count in budgets, but not in forecasts;
// - an application server that uses an eighth of its CPUs and a fifth of its memory: it is too large;
// - a volume that no instance uses;
// - a content network without tags.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const account = '111122223333';
const msPerDay = 86_400_000;
const first = Date.parse('2026-10-01');
/** The day after the last. */
const end = Date.parse('2026-11-26');
const creditDay = '03';
const anomaly = { '2026-11-20': 39.5, '2026-11-21': 44.1 };

const shop = { environment: 'production', owner: 'shop', team: 'web' };
const dayOf = (at) => new Date(at).toISOString().slice(0, 10);
const monthOf = (day) => day.slice(0, 7);
const isWeekend = (at) => [0, 6].includes(new Date(at).getUTCDay());

/** Up to 4% more or less, by the day and the resource: the bits of a hash, which look like chance. */
function wobble(at, place) {
  const mixed = Math.imul(at / msPerDay + place * 7_919, 2_654_435_761);
  return 0.96 + (0.08 * ((mixed ^ (mixed >>> 15)) >>> 0)) / 2 ** 32;
}

/** Daily cost by resource. `traffic`: the share that depends on visitors. */
const resources = [
  {
    id: 'i-0a1b2c3d4e5f60718',
    service: ['Amazon Elastic Compute Cloud', 'Compute'],
    tags: shop,
    // m5.2xlarge: 0.46 an hour.
    daily: 24 * 0.46,
  },
  {
    id: 'vol-0f9e8d7c6b5a43210',
    service: ['Amazon Elastic Block Store', 'Storage'],
    tags: {},
    // 200 GiB of gp2.
    daily: (200 * 0.119) / 30,
  },
  {
    id: 'vol-0c0ffee1234567890',
    service: ['Amazon Elastic Block Store', 'Storage'],
    tags: shop,
    // 500 GiB of gp3.
    daily: (500 * 0.0952) / 30,
  },
  {
    id: `arn:aws:rds:eu-central-1:${account}:db:orders`,
    service: ['Amazon Relational Database Service', 'Databases'],
    tags: { ...shop, 'cost-center': '4711' },
    // db.m6g.large in two zones.
    daily: 24 * 0.37,
  },
  {
    id: 'acme-shop-uploads',
    service: ['Amazon Simple Storage Service', 'Storage'],
    tags: { environment: 'production' },
    daily: 9.2,
    traffic: 0.5,
  },
  {
    id: `arn:aws:cloudfront::${account}:distribution/E1ABCDEF234567`,
    service: ['Amazon CloudFront', 'Networking'],
    tags: {},
    daily: 24.6,
    traffic: 0.9,
  },
];

const columns = [
  'ProviderName',
  'BillingAccountId',
  'SubAccountId',
  'BillingPeriodStart',
  'ChargePeriodStart',
  'ChargeCategory',
  'ServiceName',
  'ServiceCategory',
  'RegionId',
  'ResourceId',
  'BillingCurrency',
  'BilledCost',
  'EffectiveCost',
  'ListCost',
  'Tags',
];

const rows = [];

function charge({ day, category = 'Usage', service, id = '', cost, tags = {} }) {
  const amount = cost.toFixed(6);
  rows.push([
    'Amazon Web Services',
    account,
    account,
    `${monthOf(day)}-01T00:00:00Z`,
    `${day}T00:00:00Z`,
    category,
    ...service,
    id === '' ? '' : 'eu-central-1',
    id,
    'USD',
    amount,
    amount,
    category === 'Usage' ? amount : '0',
    Object.keys(tags).length === 0 ? '' : JSON.stringify(tags),
  ]);
}

for (let at = first; at < end; at += msPerDay) {
  const day = dayOf(at);
  let net = 0;
  for (const [place, { id, service, tags, daily, traffic = 0 }] of resources.entries()) {
    const visitors = isWeekend(at) ? 1 - 0.45 * traffic : 1;
    const usual = traffic === 0 ? daily : daily * visitors * wobble(at, place);
    const cost = id === 'acme-shop-uploads' ? usual + (anomaly[day] ?? 0) : usual;
    charge({ day, service, id, cost, tags });
    net += cost;
  }
  charge({ day, category: 'Tax', service: ['AWS Tax', 'Other'], cost: net * 0.19 });
  if (day.endsWith(creditDay)) {
    charge({ day, category: 'Credit', service: ['AWS Credits', 'Other'], cost: -40 });
  }
}

const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const csv = [columns, ...rows].map((row) => row.map(cell).join(',')).join('\n');

/** The highest utilization in percent of every sixth hour of the last 20 days. */
const points = [];
for (let at = end - 20 * msPerDay; at < end; at += msPerDay / 4) {
  const isNight = new Date(at).getUTCHours() < 6;
  const used = { cpu: isNight ? 4.2 : 12.6 * wobble(at * 4, 1), memory: 20.4 * wobble(at * 4, 2) };
  for (const [metric, max] of Object.entries(used)) {
    points.push({
      resource_id: 'i-0a1b2c3d4e5f60718',
      metric,
      at: new Date(at).toISOString(),
      period_seconds: 3_600,
      statistics: { max: Number(max.toFixed(2)) },
    });
  }
}

const [directory = import.meta.dirname] = process.argv.slice(2);
writeFileSync(path.join(directory, 'focus.csv'), `${csv}\n`);
writeFileSync(
  path.join(directory, 'utilization.ndjson'),
  `${points.map((point) => JSON.stringify(point)).join('\n')}\n`,
);
