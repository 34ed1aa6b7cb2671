import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import fc from 'fast-check';
import { buildBundle } from '../../../src/report/evidence/build.ts';
import { ContainerWriter } from '../../../src/report/evidence/container.ts';
import type { Entry } from '../../../src/report/evidence/container.ts';
import type { EvidenceFacts, ManualFacts } from '../../../src/report/evidence/facts.ts';
import type { StatementSigner } from '../../../src/report/evidence/statement.ts';
import { keyIdOf } from '../../../src/report/sign/public-key.ts';

/** A signer whose key is made of one byte: the same in each run. */
export function signerOf(seed: number): StatementSigner {
  const der = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.alloc(32, seed),
  ]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  return {
    id: keyIdOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
}

const contentOf = ({ id }: ManualFacts): Uint8Array => Buffer.from(`the file of ${id}`);

export async function bundleOf(facts: EvidenceFacts, signer = signerOf(1)): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const options = {
    signer,
    attachment: (manual: ManualFacts) => Promise.resolve(contentOf(manual)),
    turn: () => Promise.resolve(),
  };
  for await (const part of buildBundle(facts, options)) parts.push(part);
  return Buffer.concat(parts);
}

export function containerOf(entries: Iterable<Entry>): Buffer {
  const writer = new ContainerWriter();
  const parts = [...entries].flatMap((entry) => writer.add(entry));
  return Buffer.concat([...parts, writer.end()]);
}

const hash = 'a'.repeat(64);

/** Two controls, one policy. */
export const smallFacts: EvidenceFacts = {
  cut: {
    id: 'evd_01kc0000000000000000000001',
    at: '2026-11-23T11:55:00.000Z',
    scan_id: 'scan_01kc0000000000000000000002',
    scan_completed_at: '2026-11-23T11:00:00.000Z',
    audit_sequence: 4_812,
    audit_hash: hash,
  },
  server: { base_url: 'https://gov.test', local: false, version: '1.2.3' },
  framework: { name: 'SOC2', version: '2017' },
  since: '2026-08-25T11:55:00.000Z',
  controls: [
    { id: 'CC6.1', status: 'FAILED', policies: ['pol_1'], manual: [] },
    { id: 'CC1.1', title: 'Integrity', status: 'manual', policies: [], manual: ['man_1'] },
  ],
  policies: [
    {
      id: 'pol_1',
      name: 'private-buckets',
      resource_type: 'AWS::S3::Bucket',
      severity: 'HIGH',
      enabled: true,
      rules: [{ condition: 'resource.public == true', effect: 'DENY', message: 'Make it private' }],
      updated_at: '2026-11-01T00:00:00.000Z',
      git: { project: 'acme', key: 'private-buckets', applied: '0123456789ab' },
      tally: { evaluated: 3, pass: 2, fail: 1, error: 0, exempt: 0 },
      samples: [
        { resource_id: 'logs', resource_type: 'AWS::S3::Bucket', values: { public: false } },
      ],
      violations: { open: 1, exempt: 0, resolved: 0, listed: 1 },
    },
  ],
  violations: new Map([
    [
      'pol_1',
      [
        {
          id: 'viol_1',
          resource_id: 'site',
          resource_type: 'AWS::S3::Bucket',
          severity: 'HIGH',
          status: 'OPEN',
          message: 'Make it private',
          detected_at: '2026-11-20T00:00:00.000Z',
        },
      ],
    ],
  ]),
  exemptions: [],
  manual: [
    {
      id: 'man_1',
      control: 'CC1.1',
      file: { name: 'code of conduct.pdf', media_type: 'application/pdf', size: 17, sha256: hash },
      expires: '2027-06-30T00:00:00.000Z',
      created_at: '2026-11-01T00:00:00.000Z',
      created_by: 'user_1',
    },
  ],
  changes: [
    {
      sequence: 4_000,
      at: '2026-11-01T00:00:00.000Z',
      actor: 'user_1',
      action: 'policy.update',
      subject: 'pol_1',
      changes: ['severity'],
      hash,
    },
  ],
  missing: ['samples of policies that no scan has sampled'],
};

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', ' ', '\n', ' x\r\ny ', '__proto__', '../x', '164.312(a)(1)', '\ud800', 'é'),
);
/** From 2000: the pattern that NIST publishes for times accepts no leap day of a year before. */
const anyTime = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const anyCount = fc.nat(1_000_000);
const anySeverity = fc.constantFrom('LOW', 'MEDIUM', 'HIGH', 'CRITICAL');
const anyHash = fc.stringMatching(/^[0-9a-f]{64}$/);
const idOf = (prefix: string) => fc.stringMatching(/^[0-9a-z]{4,26}$/).map((id) => prefix + id);

const anySample = fc.record({
  resource_id: anyText,
  resource_type: anyText,
  values: fc.dictionary(anyText, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
});

const anyPolicy = fc.record(
  {
    id: idOf('pol_'),
    name: anyText,
    description: anyText,
    resource_type: anyText,
    severity: anySeverity,
    enabled: fc.boolean(),
    rules: fc.array(fc.record({ condition: anyText, effect: fc.constant('DENY') }), {
      maxLength: 2,
    }),
    updated_at: anyTime,
    git: fc.record({ project: anyText, key: anyText }, { requiredKeys: [] }),
    tally: fc.record({
      evaluated: anyCount,
      pass: anyCount,
      fail: anyCount,
      error: anyCount,
      exempt: anyCount,
    }),
    samples: fc.array(anySample, { maxLength: 3 }),
    violations: fc.record({
      open: anyCount,
      exempt: anyCount,
      resolved: anyCount,
      listed: anyCount,
    }),
  },
  {
    requiredKeys: [
      'id',
      'name',
      'resource_type',
      'severity',
      'enabled',
      'rules',
      'updated_at',
      'samples',
      'violations',
    ],
  },
);

const anyViolation = fc.record({
  id: idOf('viol_'),
  resource_id: anyText,
  resource_type: anyText,
  severity: anySeverity,
  status: fc.constantFrom('OPEN', 'EXEMPT', 'RESOLVED'),
  message: anyText,
  detected_at: anyTime,
});

const anyManual = fc.record(
  {
    id: idOf('man_'),
    control: anyText,
    text: anyText,
    file: fc.record({ name: anyText, media_type: anyText, size: anyCount, sha256: anyHash }),
    expires: anyTime,
    created_at: anyTime,
    created_by: anyText,
  },
  { requiredKeys: ['id', 'control', 'expires', 'created_at', 'created_by'] },
);

/** Facts of any shape that a server could gather, and texts that it cannot prevent. */
export const anyFacts: fc.Arbitrary<EvidenceFacts> = fc
  .record({
    policies: fc.uniqueArray(anyPolicy, { selector: ({ id }) => id, maxLength: 4 }),
    manual: fc.uniqueArray(anyManual, { selector: ({ id }) => id, maxLength: 3 }),
  })
  .chain(({ policies, manual }) =>
    fc.record({
      cut: fc.record({
        id: idOf('evd_'),
        at: anyTime,
        scan_id: idOf('scan_'),
        scan_completed_at: anyTime,
        audit_sequence: anyCount,
        audit_hash: anyHash,
      }),
      server: fc.record({
        base_url: fc.webUrl(),
        local: fc.boolean(),
        version: fc.constant('1.0.0'),
      }),
      framework: fc.record({ name: anyText, version: anyText }, { requiredKeys: ['name'] }),
      since: anyTime,
      controls: fc.array(
        fc.record(
          {
            id: anyText,
            title: anyText,
            status: fc.constantFrom('PASSED', 'FAILED', 'ERROR', 'manual', 'not_evaluated'),
            policies: fc.subarray(policies.map(({ id }) => id)),
            manual: fc.subarray(manual.map(({ id }) => id)),
          },
          { requiredKeys: ['id', 'status', 'policies', 'manual'] },
        ),
        { maxLength: 6 },
      ),
      policies: fc.constant(policies),
      violations: fc
        .array(fc.array(anyViolation, { maxLength: 4 }), {
          minLength: policies.length,
          maxLength: policies.length,
        })
        .map((lists) => new Map(lists.map((list, at) => [policies[at]?.id ?? '', list]))),
      exemptions: fc.constant([]),
      manual: fc.constant(manual),
      changes: fc.array(
        fc.record({
          sequence: anyCount,
          at: anyTime,
          actor: anyText,
          action: anyText,
          subject: anyText,
          hash: anyHash,
        }),
        { maxLength: 3 },
      ),
      missing: fc.array(anyText, { maxLength: 2 }),
    }),
  );
