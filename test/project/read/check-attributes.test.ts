import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commonAttributes, sharedShapes } from '../../../src/inventory/attributes/shapes.ts';
import { loadProject } from '../../../src/project/read/load.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const policy = (type: string, condition: string): string => `name: p
resource_type: ${type}
rules:
  - condition: ${JSON.stringify(condition)}
    effect: DENY
`;

async function problemsOf(type: string, condition: string) {
  const cwd = makeRepo({ 'a.yaml': policy(type, condition) });
  const { problems } = await loadProject({ cwd, paths: ['a.yaml'] });
  return problems.map(({ level, code, message, hint, excerpt, column }) => ({
    level,
    code,
    message,
    hint,
    marked: excerpt?.text.slice(column - 1, column - 1 + excerpt.width),
  }));
}

const bucket = 'AWS::S3::Bucket';
const group = 'AWS::EC2::SecurityGroup';

describe('what is valid in a policy and can hardly be meant is warned of', () => {
  it.each([
    [bucket, 'resource.encrypton.enabled == false', 'encrypton', 'Did you mean encryption?'],
    [bucket, 'has(resource.encrypton) && true', 'encrypton', 'Did you mean encryption?'],
    [bucket, 'resource.?encrypton.hasValue()', 'encrypton', 'Did you mean encryption?'],
    [bucket, 'resource[?"regon"].orValue("eu") == "eu"', 'regon', 'Did you mean region?'],
    [bucket, 'resource["regon"] == "eu"', 'regon', 'Did you mean region?'],
    [bucket, 'resource.encryption.enable == false', 'enable', 'Did you mean enabled?'],
    [
      bucket,
      'resource.versioning.mfa == true',
      'mfa',
      'Attributes: enabled.', // an attribute that is not declared below one that is
    ],
    [group, 'resource.ingress.exists(r, r.cidr == "0.0.0.0/0")', 'cidr', 'Did you mean cidrs?'],
    [
      group,
      'resource.ingress.cidrs.size() > 0',
      'cidrs',
      'Test the elements of the list: resource.ingress.exists(one, … one.cidrs …), or .all.',
    ],
    [bucket, 'resource.acl.grants == true', 'grants', undefined],
    [
      'AWS::RDS::DBInstance',
      'has(resource.storage_encrypted) && !resource.storage_encrypted',
      'storage_encrypted',
      'Use resource.properties.storage_encrypted for the property of the provider, or an attribute of docs/reference/attributes.md.',
    ],
    [
      'AWS::RDS::DBInstance',
      'has(resource.StorageEncrypted)',
      'StorageEncrypted',
      'Use resource.properties.StorageEncrypted for the property of the provider, or an attribute of docs/reference/attributes.md.',
    ],
  ])('%s: %s', async (type, condition, marked, hint) => {
    expect(await problemsOf(type, condition)).toEqual([
      expect.objectContaining({ level: 'warning', code: 'unknown-attribute', marked, hint }),
    ]);
  });

  it.each([
    [
      bucket,
      'resource.encryption.enabled == "false"',
      'resource.encryption.enabled is true or false, so it never equals "false"',
      'Use false without quotes.',
    ],
    [
      bucket,
      '"30" != resource.object_lock.retention_days',
      'resource.object_lock.retention_days is a number, so it never equals "30"',
      'Use 30 without quotes.',
    ],
    [
      bucket,
      'resource.versioning.enabled in ["true", "yes"]',
      'resource.versioning.enabled is true or false, so it is never in this list',
      undefined,
    ],
    [
      group,
      'resource.ingress.exists(r, r.cidrs == "0.0.0.0/0")',
      'resource.ingress[*].cidrs is a list, so it never equals "0.0.0.0/0"',
      'Use "0.0.0.0/0" in resource.ingress[*].cidrs.',
    ],
    [
      group,
      'resource.ingress.exists(r, 22 in r.cidrs)',
      'an element of resource.ingress[*].cidrs is a string, so it never equals 22',
      undefined,
    ],
    [
      bucket,
      'resource.acl == "PublicRead"',
      'resource.acl never equals "PublicRead"',
      'Did you mean "public-read"?',
    ],
    [
      group,
      'resource.ingress.exists(r, r.protocol == "-1")',
      'resource.ingress[*].protocol never equals "-1"',
      'Did you mean "all"?',
    ],
    [
      group,
      'resource.ingress.exists(r, r.protocol == "quic")',
      'resource.ingress[*].protocol never equals "quic"',
      'Values: "all", "tcp", "udp", "icmp", "icmpv6", "icmp6", "ah", "egp", ….',
    ],
    [
      'Azure::Storage::storageAccounts',
      'resource.tls.minimum_version == "TLS1_0"',
      'resource.tls.minimum_version never equals "TLS1_0"',
      'Did you mean "1.0"?',
    ],
    [
      'Azure::Web::sites',
      'resource.tls.minimum_version in ["1.4", "SSL3"]',
      'resource.tls.minimum_version never equals "1.4"',
      'Values: "1.0", "1.1", "1.2", "1.3".',
    ],
    [
      group,
      'resource.ingress.exists(r, r.access in ["Allow", "ALLOW"])',
      'resource.ingress[*].access never equals "Allow"',
      'Did you mean "allow"?',
    ],
    [
      'AWS::RDS::DBInstance',
      'resource.engine == "MySQL"',
      'resource.engine never equals "MySQL"',
      'Did you mean "mysql"?',
    ],
    [
      'AWS::SQS::Queue',
      'resource.policy.statements.exists(s, "allow" == s.effect)',
      'resource.policy.statements[*].effect never equals "allow"',
      'Did you mean "Allow"?',
    ],
  ])('%s: %s never holds', async (type, condition, message, hint) => {
    expect(await problemsOf(type, condition)).toMatchObject([
      { level: 'warning', code: 'never-equal', message, ...(hint ? { hint } : {}) },
    ]);
  });

  it.each([
    ['AWS::S3::Buckett', 'AWS::S3::Bucket'],
    ['AWS::EC2::SecurityGroups', 'AWS::EC2::SecurityGroup'],
  ])('%s is no type; %s is', async (type, meant) => {
    expect(await problemsOf(type, 'true')).toMatchObject([
      { level: 'warning', code: 'unknown-type', hint: `Did you mean ${meant}?`, marked: type },
    ]);
  });

  it('a type of SAM is told apart: its resources are checked as what they deploy', async () => {
    expect(await problemsOf('AWS::Serverless::Function', 'true')).toMatchObject([
      { level: 'warning', code: 'unknown-type', hint: 'Use AWS::Lambda::Function.' },
    ]);
    expect(await problemsOf('AWS::Serverless::Connector', 'true')).toEqual([]);
  });

  it.each([
    ['aws::s3::bucket', 'AWS::S3::Bucket'],
    ['AWS::s3::*', 'AWS::S3::*'],
    ['aws::*', 'AWS::*'],
    ['AWS::*::bucket', 'AWS::*::Bucket'],
  ])('%s is refused: it would match only without regard to case, as %s', async (type, meant) => {
    expect(await problemsOf(type, 'true')).toMatchObject([
      { level: 'error', code: 'unknown-type', hint: `Did you mean ${meant}?`, marked: type },
    ]);
  });

  it.each([
    ['a pattern', 'AWS::S3::*', 'resource.encrypton.x == "1"'],
    ['a pattern of Azure in other case', 'azure::STORAGE::*', 'true'],
    ['a pattern about everything', '"*"', 'resource.tags.owner == "1"'],
    ['an attribute of the user’s own', bucket, 'resource.cost_centre == "1"'],
    [
      'what is below properties, tags and source',
      bucket,
      'resource.properties.Encrypton.x == resource.tags.a && resource.source.format == "x"',
    ],
    ['types without well-known attributes', 'ACME::Pump', 'resource.encrypton == 1'],
    ['a type of the same service', 'AWS::ECS::Cluster', 'resource.encrypton == 1'],
    ['numbers of another kind', bucket, 'resource.object_lock.retention_days == 30.0'],
    ['an attribute of another type', group, 'resource.encryption.enabled'],
    ['null', bucket, 'resource.acl == null'],
    ['an empty text', bucket, 'resource.acl != ""'],
    ['a number of a protocol', group, 'resource.ingress.exists(r, r.protocol == "99")'],
    ['any protocol', group, 'resource.ingress.exists(r, r.protocol == "esp")'],
    ['a word and another', bucket, 'resource.acl in ["public-read", "PublicRead"]'],
    ['variables of loops over other things', bucket, '[{"cidr": "x"}].exists(r, r.cidr == "x")'],
    ['a type of Azure in other case', 'azure::storage::STORAGEACCOUNTS', 'true'],
  ])('says nothing of %s', async (_, type, condition) => {
    expect(await problemsOf(type, condition)).toEqual([]);
  });
});

describe('the attributes that are known', () => {
  const page = readFileSync(new URL('../../../docs/resource-model.md', import.meta.url), 'utf8');
  const namesIn = (title: string): string[] => {
    const section = page.split(`## ${title}\n`)[1]?.split(/^##/m)[0] ?? '';
    return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
  };

  it('are those that the resource model tells of', () => {
    expect([...commonAttributes.keys()]).toEqual(namesIn('Common attributes'));
    for (const [name, fields] of sharedShapes) {
      expect([...fields.keys()]).toEqual(namesIn(name));
    }
  });
});
