import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../src/contract/contract.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { createMetrics } from '../../src/server/metrics.ts';
import type { Sent, TestService } from './test-service.ts';
import { policy, startTestService } from './test-service.ts';

let service: TestService;
const answered = new Set<string>();

beforeAll(async () => {
  service = await startTestService({ metricsText: (store) => createMetrics(store, { succeeded: 0, failed: 0 }).text });
});
afterAll(() => service.close());

const verbsOf = contract as Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;
const every = Object.entries(verbsOf).flatMap(([noun, verbs]) =>
  Object.keys(verbs).map((verb) => `${noun}.${verb}`),
);

/** Asks an endpoint, holds its answer against what the contract declares, and gives the answer's body. */
async function ask(name: string, id: string | undefined, sent?: Sent): Promise<unknown> {
  const [noun = '', verb = ''] = name.split('.');
  const endpoint = verbsOf[noun]?.[verb];
  if (!endpoint) throw new Error(`the contract has no ${name}`);
  const { status, body: schema, type = 'application/json' } = endpoint.response;
  const got = await service.send(endpoint.method, endpoint.path.replace(':id', id ?? ''), sent);
  expect([name, got.status, got.text]).toEqual([name, status, expect.any(String)]);
  answered.add(name);
  if (!schema) {
    expect([got.text, got.headers.get('content-type')]).toEqual(['', null]);
    return undefined;
  }
  expect(got.headers.get('content-type')).toBe(type);
  expect(got.headers.has('etag')).toBe(endpoint.versioned === true);
  expect(got.headers.get('cache-control')).toBe(endpoint.secret ? 'no-store' : null);
  const body: unknown = type === 'application/json' ? got.json : got.text;
  const parsed = schema.safeParse(body);
  expect(parsed.error?.issues ?? [], name).toEqual([]);
  return body;
}

describe('what an endpoint answers', () => {
  it('has the status, headers and shape that the contract declares, for every endpoint', async () => {
    const full = policy('answered', {
      description: 'Every field.',
      severity: 'HIGH',
      enabled: false,
      compliance_frameworks: ['SOC2:CC6.1'],
      auto_remediation: true,
      remediation_action: 'encrypt',
      tags: ['a', 'b'],
    });
    const { id } = (await ask('policies.create', undefined, { body: full })) as { id: string };
    await ask('policies.list', undefined);
    await ask('policies.get', id);
    await ask('policies.update', id, { body: { severity: null } });
    await ask('policies.delete', id);

    const { id: named } = (await ask('policies.create', undefined, { body: policy('open') })) as {
      id: string;
    };
    const resource = { id: 'bucket-1', type: 'AWS::S3::Bucket', public: true, tags: { a: 'b' } };
    await ask('resources.upsert', undefined, { body: { resources: [resource] } });
    await ask('resources.put', 'bucket-1', { body: { ...resource, region: 'eu-west-1' } });
    const ndjson = { 'content-type': 'application/x-ndjson' };
    await ask('resources.import', undefined, { text: '{"id":1}\n', headers: ndjson });
    await ask('resources.list', undefined);
    await ask('resources.get', 'bucket-1');
    await ask('policies.validate', undefined, { body: { resources: [resource] } });
    const scan = (await ask('scans.create', undefined, { body: { policy_ids: [named] } })) as {
      id: string;
    };
    await service.lane.run();
    await ask('scans.list', undefined);
    await ask('scans.get', scan.id);
    const exemption = (await ask('exemptions.create', undefined, {
      body: {
        policy: 'open',
        resources: ['bucket-*'],
        reason: 'r',
        owner: 'o',
        expires: '2030-01-31',
        category: 'waiver',
      },
    })) as { id: string };
    await ask('exemptions.list', undefined);
    await ask('exemptions.get', exemption.id);
    await ask('exemptions.update', exemption.id, { body: { category: null } });
    const { violations } = (await ask('violations.list', undefined)) as {
      violations: { id: string }[];
    };
    await ask('violations.get', violations[0]?.id);
    await ask('violations.resolve', violations[0]?.id, { body: { reason: 'torn down' } });
    await ask('exemptions.delete', exemption.id);
    await ask('resources.delete', 'bucket-1');

    const scopes = ['governance:read'];
    const body = { name: 'answered', scopes };
    const key = (await ask('apiKeys.create', undefined, { body })) as { id: string };
    await ask('apiKeys.list', undefined);
    await ask('apiKeys.delete', key.id);

    const client = (await ask('oauthClients.create', undefined, { body })) as {
      client_id: string;
      client_secret: string;
    };
    await ask('oauthClients.list', undefined);
    const { client_id, client_secret } = client;
    const grant = { grant_type: 'client_credentials', client_id, client_secret };
    await ask('auth.token', undefined, { key: null, body: grant });
    await ask('oauthClients.delete', client_id);

    await ask('auditLog.list', undefined);
    for (const verb of ['health', 'ready', 'metrics', 'openapi']) {
      await ask(`system.${verb}`, undefined, { key: null });
    }
    expect([...answered].sort()).toEqual([...every].sort());
  });
});
