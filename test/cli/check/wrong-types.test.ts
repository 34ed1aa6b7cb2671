import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fitAttributes } from '../../../src/inventory/attributes/fit.ts';
import { readInventory } from '../../../src/inventory/read.ts';
import type { Resource } from '../../../src/contract/resources.ts';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const policy = (condition: string, type = 'AWS::S3::Bucket') => ({
  name: 'p',
  resource_type: type,
  severity: 'HIGH',
  rules: [{ condition, effect: 'DENY', message: 'off' }],
});

async function check(resource: object, condition: string, type?: string): Promise<string[]> {
  const one = { id: 'a', type: 'AWS::S3::Bucket', ...resource };
  const { stdout } = await runCommandLine(
    ['check', 's.json', 's.ndjson', '--policies', 'p.yaml', '--all', '-o', 'json'],
    {
      cwd: makeRepo({
        's.json': JSON.stringify([one]),
        's.ndjson': `${JSON.stringify(one)}\n`,
        'p.yaml': JSON.stringify(policy(condition, type)),
      }),
    },
  );
  const { results } = JSON.parse(stdout) as { results: { status: string; error?: string }[] };
  return results.map(({ status }) => status);
}

describe('a well-known attribute of a resource in our own format', () => {
  const isOff = 'resource.versioning.enabled == false';
  it.each(['false', 'no', 0, [], {}])('that is %j instead of true or false is an error', async (enabled) => {
    expect(await check({ versioning: { enabled } }, isOff)).toEqual(['ERROR', 'ERROR']);
    expect(await check({ versioning: { enabled } }, 'resource.versioning.enabled != true')).toEqual(['ERROR', 'ERROR']);
  }); // prettier-ignore

  it('that is null is absent', async () => {
    expect(await check({ versioning: { enabled: null } }, '!has(resource.versioning.enabled)')).toEqual(['FAIL', 'FAIL']); // prettier-ignore
    expect(await check({ versioning: { enabled: null } }, isOff)).toEqual(['ERROR', 'ERROR']);
  });

  it('that has the right type is what it was', async () => {
    expect(await check({ versioning: { enabled: false } }, isOff)).toEqual(['FAIL', 'FAIL']);
    expect(await check({ versioning: { enabled: true } }, isOff)).toEqual(['PASS', 'PASS']);
  });

  it('of a list is an error in the element that has the wrong type', async () => {
    const group = (rules: unknown) => ({ type: 'AWS::EC2::SecurityGroup', ingress: rules });
    const open = 'resource.ingress.exists(r, r.from_port == 22)';
    const type = 'AWS::EC2::SecurityGroup';
    expect(await check(group([{ from_port: '22' }]), open, type)).toEqual(['ERROR', 'ERROR']);
    expect(await check(group([{ from_port: '22' }, { from_port: 22 }]), open, type)).toEqual(['FAIL', 'FAIL']); // prettier-ignore
    expect(await check(group('22'), 'resource.ingress == []', type)).toEqual(['ERROR', 'ERROR']);
  });

  it('of a type that nobody knows may be anything', async () => {
    const own = { type: 'Acme::Own::Thing', versioning: { enabled: 'false' } };
    expect(await check(own, 'resource.versioning.enabled == "false"', 'Acme::Own::Thing')).toEqual(['FAIL', 'FAIL']); // prettier-ignore
  });
});

describe('a word of a resource in our own format', () => {
  const group = 'AWS::EC2::SecurityGroup';
  const rule = (fields: object) => ({ type: group, ingress: [{ access: 'allow', ...fields }] });
  const statement = (effect: string) => ({ type: 'AWS::SQS::Queue', policy: { statements: [{ effect }] } }); // prettier-ignore

  it.each([
    [rule({ protocol: 'TCP' }), 'resource.ingress.exists(r, r.protocol == "tcp")'],
    [rule({ protocol: '6' }), 'resource.ingress.exists(r, r.protocol == "tcp")'],
    [rule({ protocol: '17' }), 'resource.ingress.exists(r, r.protocol == "udp")'],
    [rule({ protocol: '-1' }), 'resource.ingress.exists(r, r.protocol == "all")'],
    [rule({ protocol: '*' }), 'resource.ingress.exists(r, r.protocol == "all")'],
    [rule({ protocol: '50' }), 'resource.ingress.exists(r, r.protocol == "50")'],
    [rule({ access: 'Allow' }), 'resource.ingress.exists(r, r.access == "allow")'],
    [{ acl: 'PublicRead' }, 'resource.acl == "public-read"'],
    [
      { type: 'AWS::ElasticLoadBalancingV2::Listener', protocol: 'Http' },
      'resource.protocol == "HTTP"',
    ],
    [{ type: 'AWS::EC2::SecurityGroupIngress', protocol: '-1' }, 'resource.protocol == "all"'],
    [statement('allow'), 'resource.policy.statements.exists(s, s.effect == "Allow")'],
    [
      { type: 'Azure::Storage::storageAccounts', tls: { minimum_version: 'TLS1_0' } },
      'resource.tls.minimum_version == "1.0"',
    ],
    [
      { type: 'AWS::RDS::DBInstance', logging: { types: ['Audit'] } },
      '"audit" in resource.logging.types',
    ],
  ])('is read as providers spell it: %j', async (resource, condition) => {
    const { type } = { type: 'AWS::S3::Bucket', ...resource };
    expect(await check(resource, condition, type)).toEqual(['FAIL', 'FAIL']);
    expect(await check(resource, `!(${condition})`, type)).toEqual(['PASS', 'PASS']);
  });

  it.each([
    [rule({ protocol: 'quic' }), 'resource.ingress.exists(r, r.protocol == "tcp")'],
    [rule({ access: 'permit' }), 'resource.ingress.exists(r, r.access == "allow")'],
    [{ acl: 'everybody' }, 'resource.acl == "public-read"'],
    [statement('Permit'), 'resource.policy.statements.exists(s, s.effect == "Allow")'],
  ])('that is none of those there are is an error: %j', async (resource, condition) => {
    const { type } = { type: 'AWS::S3::Bucket', ...resource };
    expect(await check(resource, condition, type)).toEqual(['ERROR', 'ERROR']);
  });
});

describe('in the service', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(() => service.close());

  it('it is an error, too', async () => {
    const inventory = inventoryOf(service);
    await inventory.createPolicy('p', {
      resource_type: 'AWS::S3::Bucket',
      rules: policy('resource.versioning.enabled == false').rules,
    });
    await inventory.put('a', { type: 'AWS::S3::Bucket', versioning: { enabled: 'false' } });
    const { json } = await inventory.ok('GET', '/v1/evaluations');
    expect(json.evaluations).toMatchObject([{ status: 'ERROR', reason: 'unknown_value' }]);
  });

  it.each([
    ['PublicRead', { status: 'FAIL' }],
    ['everybody', { status: 'ERROR', reason: 'unknown_value' }],
  ])('the ACL %s is not overlooked, either', async (acl, verdict) => {
    const inventory = inventoryOf(service);
    await inventory.createPolicy('p', {
      resource_type: 'AWS::S3::Bucket',
      rules: policy('resource.acl == "public-read"').rules,
    });
    await inventory.put('a', { type: 'AWS::S3::Bucket', acl });
    const { json } = await inventory.ok('GET', '/v1/evaluations');
    expect(json.evaluations).toMatchObject([verdict]);
  });
});

it('leaves what a reader made of another format, and any resource without such attributes, as it is', () => {
  const template = { Resources: { B: { Type: 'AWS::S3::Bucket', Properties: { VersioningConfiguration: { Status: 'Odd' } } } } }; // prettier-ignore
  const read = readInventory(JSON.stringify(template));
  const resources = read.ok ? read.inventory.resources.map(({ resource }) => resource) : [];
  expect(resources).toHaveLength(1);
  for (const one of resources) expect(fitAttributes(one)).toBe(one);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (properties) => {
      const one = { id: 'a', type: 'A::B::C', provider: 'a', tags: {}, properties, ...properties };
      expect(fitAttributes(one as unknown as Resource)).toBe(one);
    }),
  );
});
