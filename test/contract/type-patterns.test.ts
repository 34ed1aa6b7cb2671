import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolicyType, ResourceType } from '../../src/contract/policies.ts';
import { isTypePattern, matchesType, typeKey } from '../../src/contract/resources.ts';

const part = fc.constantFrom('AWS', 'Azure', 'S3', 's3', 'Bucket', 'servers/databases');
const types = fc.array(part, { minLength: 2, maxLength: 5 }).map((parts) => parts.join('::'));
const patterns = fc
  .array(fc.oneof(part, fc.constant('*')), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join('::'));

describe('a type pattern', () => {
  it.each([
    ['*', 'Custom::Thing', true],
    ['AWS::*', 'AWS::S3::Bucket', true],
    ['AWS::*::*', 'AWS::S3::Bucket', true],
    ['AWS::*::*', 'AWS::S3::Bucket::Part', true],
    ['AWS::S3::*', 'AWS::S3::Bucket', true],
    ['AWS::S3::*', 'AWS::S3', false],
    ['AWS::S3::*', 'AWS::S3Outposts::Bucket', false],
    ['AWS::*::Bucket', 'AWS::S3::Bucket', true],
    ['AWS::*::Bucket', 'AWS::S3::Inner::Bucket', false],
    ['aws::*', 'AWS::S3::Bucket', false],
    ['azure::SQL::*', 'Azure::Sql::servers/databases', true],
    ['*::sql::*', 'Azure::Sql::servers/databases', true],
    ['*', 'AWS::Account::Account', false],
    ['GCP::*', 'GCP::CloudResourceManager::Project', false],
    ['GCP::*', 'GCP::Cloudresourcemanager::Project', false],
    ['Azure::Resources::*', 'azure::resources::Subscription', false],
    ['AWS::Account::Account', 'AWS::Account::Account', true],
  ])('%s and %s: %s', (pattern, type, isMatch) => {
    expect(matchesType(pattern, type)).toBe(isMatch);
  });

  it('matches as the regular expression that it stands for', () => {
    fc.assert(
      fc.property(patterns, types, (pattern, type) => {
        fc.pre(isTypePattern(pattern));
        const flags = type.startsWith('Azure::') ? 'i' : '';
        const source = pattern.replace(/(^|::)\*$/, '$1.+').replaceAll('*', '(?:(?!::).)+');
        expect(matchesType(pattern, type)).toBe(new RegExp(`^${source}$`, flags).test(type));
      }),
    );
  });

  it('without a star matches its type only, in Azure whatever the case', () => {
    fc.assert(
      fc.property(types, types, (wanted, type) => {
        expect(matchesType(wanted, type)).toBe(typeKey(wanted) === typeKey(type));
      }),
    );
  });

  it('is a resource_type of policies, never of resources', () => {
    fc.assert(
      fc.property(patterns, (pattern) => {
        fc.pre(isTypePattern(pattern));
        expect(PolicyType.safeParse(pattern).success).toBe(true);
        expect(ResourceType.safeParse(pattern).success).toBe(false);
      }),
    );
  });
});

it.each(['AWS::S3::Bucket', 'Custom::Thing', 'Datadog::Monitor', 'Azure::Sql::servers/databases'])(
  'a policy can be about %s',
  (type) => {
    expect(PolicyType.safeParse(type).success).toBe(true);
  },
);

it.each([
  'Bucket',
  'AWS',
  'AWS::S3',
  'azure::Sql',
  'GCP::Storage',
  'AWS::S3*',
  'AWS::::B',
  '**',
  '',
])('a policy cannot be about %j', (type) => {
  expect(PolicyType.safeParse(type).success).toBe(false);
});
