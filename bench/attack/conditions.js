// Sends costly conditions with a read-only key, and stores them with another key, so that the background runs them.
import { again, asked, headersOf, send } from './attack.js';

const validate = (name, body, key = asked.readOnly) => ({
  name,
  method: 'POST',
  path: '/v1/policies/validate',
  headers: headersOf(key),
  body: Buffer.from(JSON.stringify(body)),
});
const numbers = Array.from({ length: 1_500 }, (_, n) => n);
const resource = { id: 'attack', type: 'Attack::On::Thing', name: 'a'.repeat(200), numbers };
const policyOf = (conditions, name = 'attack') => ({
  name,
  resource_type: resource.type,
  rules: conditions.map((condition) => ({ condition, effect: 'DENY' })),
});
const nested = (n) =>
  `resource.numbers.all(a, resource.numbers.all(b, now.getHours("America/New_York") < ${24 + n}))`;
const pattern = (n) => `resource.name.matches("(a|b${n}){10}(?i)x{1,50}.*\\\\pL+${n}")`;
const terms = (n) =>
  Array.from({ length: 3_000 }, (_, at) => `resource.n==${n}${at}`)
    .join('||')
    .slice(0, 65_000)
    .replace(/\|\|[^|]*$/, '');
const many = (count, make) => Array.from({ length: count }, (_, n) => make(n));

const shots = [
  validate('1,500 numbers, nested', { resources: [resource], policies: [policyOf([nested(0)])] }),
  validate('1,500 numbers, nested, 60 rules and 30 resources', {
    resources: many(30, (n) => ({ ...resource, id: `attack-${n}` })),
    policies: [policyOf(many(60, nested))],
  }),
  validate('1,000 regexes', {
    resources: [resource],
    policies: [
      policyOf(many(500, pattern)),
      policyOf(
        many(500, (n) => pattern(500 + n)),
        'other',
      ),
    ],
  }),
  ...many(4, (at) =>
    validate('3,000 terms', { resources: [resource], policies: [policyOf([terms(at)])] }),
  ),
  validate('3,000 terms, 15 rules', {
    resources: [resource],
    policies: [policyOf(many(15, terms))],
  }),
  validate('3,000 terms, 140 rules', {
    resources: [resource],
    policies: [policyOf(many(140, terms))],
  }),
];
again((turn) => shots[turn % shots.length], { atOnce: 4, pause: 20 });

// Each change of a stored policy triggers its evaluation on all resources of its type, until it is quarantined again.
const headers = headersOf(asked.writer);
const store = async (path, body) => {
  const { status, text } = await send(
    { method: 'POST', path, headers, body: Buffer.from(JSON.stringify(body)) },
    true,
  );
  if (status >= 300) throw new Error(`POST ${path} ${status}: ${text}`);
  return JSON.parse(text);
};
await store('/v1/resources', { resources: many(60, (n) => ({ ...resource, id: `attack-${n}` })) });
const ids = [];
for (let n = 0; n < 4; n++) {
  const { id } = await store('/v1/policies', {
    ...policyOf(many(60, nested), `attack-${process.pid}-${n}`),
    severity: 'HIGH',
  });
  ids.push(id);
}
again(
  (turn) => ({
    name: 'change of a costly policy',
    method: 'PUT',
    path: `/v1/policies/${ids[turn % ids.length]}`,
    headers,
    body: Buffer.from(JSON.stringify({ rules: policyOf(many(60, (n) => nested(n + turn))).rules })),
  }),
  { atOnce: 1, pause: 500 },
);
again(
  () => ({ name: 'scan', method: 'POST', path: '/v1/scans', headers, body: Buffer.from('{}') }),
  { atOnce: 1, pause: 1_000 },
);
