import { describe, expect, it } from 'vitest';
import { UnknownValue } from '../../src/contract/resources.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import { closureEvaluator, codeEvaluator } from './back-ends.ts';

const compiled = compileCondition('allows_everybody(resource)');
if (!compiled.ok) throw new Error(compiled.problem.message);
const backEnds = [closureEvaluator, codeEvaluator].map((make) => make(compiled.condition.program));

/** The answer of both back ends, or the reason why there is none. */
function allowsEverybody(statement: unknown): unknown {
  const [closures, code] = backEnds.map((run) => run(statement, 0));
  expect(code).toEqual(closures);
  return typeof closures === 'object' ? closures.reason : closures;
}

/** A statement that allows everybody, under conditions. */
const under = (conditions: unknown): unknown =>
  allowsEverybody({ effect: 'Allow', principals: ['*'], not_principals: [], conditions });

const unknown = new UnknownValue('Ref Who');

describe('a statement of an AWS policy document allows everybody', () => {
  it.each([
    [{ effect: 'Allow', principals: ['*'] }],
    [{ effect: 'Allow', principals: ['123456789012', '*'], conditions: {} }],
    [{ effect: 'Allow', principals: '*' }],
    [{ effect: 'Allow', principals: ['arn:aws:iam::*:root'] }],
    [{ effect: 'Allow', principals: [], not_principals: ['123456789012'] }],
  ])('%j', (statement) => {
    expect(allowsEverybody(statement)).toBe(true);
  });

  it.each([
    [{ effect: 'Deny', principals: ['*'] }],
    [{ effect: 'Allow', principals: ['123456789012', 's3.amazonaws.com'] }],
    [{ effect: 'Allow', principals: ['arn:aws:iam::123456789012:role/*'] }],
    [{ effect: 'Allow', principals: [], not_principals: [] }],
    [{ effect: 'Deny', principals: [], not_principals: ['123456789012'] }],
  ])('but not %j', (statement) => {
    expect(allowsEverybody(statement)).toBe(false);
  });
});

describe('everybody is limited by', () => {
  it.each([
    [{ StringEquals: { 'aws:PrincipalOrgID': ['o-a1b2c3d4e5'] } }],
    [{ StringEquals: { 'AWS:principalorgid': 'o-a1b2c3d4e5' } }],
    [{ stringequals: { 'aws:PrincipalAccount': ['123456789012', '210987654321'] } }],
    [{ StringEqualsIgnoreCase: { 'aws:SourceAccount': ['123456789012'] } }],
    [{ StringLike: { 'aws:SourceOwner': ['123456789012'] } }],
    [{ StringEquals: { 'aws:SourceVpce': ['vpce-1a2b3c4d'] } }],
    [{ StringEquals: { 'aws:SourceVpc': ['vpc-1a2b3c4d'] } }],
    [{ StringEquals: { 'kms:CallerAccount': ['123456789012'], 'kms:ViaService': ['s3.*'] } }],
    [{ StringLike: { 'aws:PrincipalArn': ['arn:aws:iam::123456789012:role/*'] } }],
    [{ ArnEquals: { 'aws:PrincipalArn': ['arn:aws:iam::${AWS::AccountId}:role/x*'] } }],
    [{ ArnLike: { 'aws:SourceArn': ['arn:aws:sns:*:123456789012:*'] } }],
    [{ ArnLike: { 'aws:SourceArn': ['arn:aws:s3:::one-bucket'] } }],
    [{ ArnLike: { 'aws:SourceArn': ['arn:aws:s3:*:*:one-bucket'] } }],
    [{ ArnEquals: { 'aws:SourceArn': ['${Topic}'] } }],
    [{ StringLike: { 's3:DataAccessPointArn': ['arn:aws:s3:*:123456789012:accesspoint/*'] } }],
    [{ 'ForAnyValue:StringLike': { 'aws:PrincipalOrgPaths': ['o-a1b2c3d4e5/r-ab12/*'] } }],
    [{ StringLike: { 'aws:userid': ['AROAEXAMPLEID:*', '123456789012'] } }],
    [{ StringEquals: { 'aws:PrincipalAccount': ['${aws:ResourceAccount}'] } }],
    [{ StringEquals: { 'aws:PrincipalOrgID': ['${aws:ResourceOrgID}'] } }],
    [{ IpAddress: { 'aws:SourceIp': ['203.0.113.0/24', '2001:db8::/32'] } }],
    [{ Bool: { 'aws:PrincipalIsAWSService': ['true'] } }],
    [{ Bool: { 'elasticfilesystem:AccessedViaMountTarget': ['True'] } }],
    [{ Bool: { 'aws:SecureTransport': ['true'] }, StringEquals: { 'aws:SourceAccount': ['1'] } }],
    [
      {
        'ForAllValues:StringLike': { 'aws:PrincipalOrgPaths': ['o-a1b2c3d4e5/*'] },
        Null: { 'aws:principalorgpaths': ['false'] },
      },
    ],
    [
      {
        StringEqualsIfExists: { 'aws:SourceVpce': ['vpce-1a2b3c4d'] },
        Null: { 'aws:SourceVpce': 'false' },
      },
    ],
  ])('%j', (conditions) => {
    expect(under(conditions)).toBe(false);
  });
});

describe('everybody is still everybody with', () => {
  it.each([
    [{}],
    // A wildcard, or a variable that anybody can set.
    [{ StringLike: { 'aws:PrincipalOrgID': ['*'] } }],
    [{ StringLike: { 'aws:PrincipalOrgID': ['o-*'] } }],
    [{ StringLike: { 'aws:PrincipalOrgID': ['o-a1b2c3d4e5', '*'] } }],
    [{ StringLike: { 'aws:SourceVpc': ['vpc-?'] } }],
    [{ StringLike: { 'aws:PrincipalArn': ['*'] } }],
    [{ ArnLike: { 'aws:PrincipalArn': ['arn:aws:iam::*:role/Admin'] } }],
    [{ ArnEquals: { 'aws:PrincipalArn': ['arn:aws:iam::*:role/Admin'] } }],
    [{ ArnLike: { 'aws:SourceArn': ['arn:aws:sns:*:*:*'] } }],
    [{ ArnLike: { 'aws:SourceArn': ['arn:aws:sns:eu-central-1:*'] } }],
    [{ ArnLike: { 'aws:SourceArn': ['arn:aws:s3:::one-*'] } }],
    [{ 'ForAnyValue:StringLike': { 'aws:PrincipalOrgPaths': ['o-*/r-ab12/*'] } }],
    [{ StringLike: { 'aws:userid': ['*:session'] } }],
    [{ StringEquals: { 'aws:PrincipalAccount': ['${aws:PrincipalTag/account}'] } }],
    // Every address.
    [{ IpAddress: { 'aws:SourceIp': ['0.0.0.0/0'] } }],
    [{ IpAddress: { 'aws:SourceIp': ['0.0.0.0/1', '128.0.0.0/1'] } }],
    [{ IpAddress: { 'aws:SourceIp': ['10.0.0.0/8', '::/1'] } }],
    // Everybody who lacks the key, too.
    [{ StringEqualsIfExists: { 'aws:PrincipalOrgID': ['o-a1b2c3d4e5'] } }],
    [{ IpAddressIfExists: { 'aws:SourceIp': ['203.0.113.0/24'] } }],
    [{ 'ForAllValues:StringEquals': { 'aws:PrincipalOrgID': ['o-a1b2c3d4e5'] } }],
    [
      {
        StringEqualsIfExists: { 'aws:SourceVpce': ['vpce-1a2b3c4d'] },
        Null: { 'aws:SourceVpce': ['true'] },
      },
    ],
    // Everybody but somebody.
    [{ StringNotEquals: { 'aws:PrincipalOrgID': ['o-a1b2c3d4e5'] } }],
    [{ StringNotLike: { 'aws:PrincipalArn': ['arn:aws:iam::123456789012:*'] } }],
    [{ NotIpAddress: { 'aws:SourceIp': ['203.0.113.0/24'] } }],
    [{ ArnNotEquals: { 'aws:SourceArn': ['arn:aws:s3:::one-bucket'] } }],
    [{ Null: { 'aws:PrincipalOrgID': ['false'] } }],
    [{ Bool: { 'aws:PrincipalIsAWSService': ['false'] } }],
    // What does not say who asks.
    [{ Bool: { 'aws:SecureTransport': ['true'], 'aws:MultiFactorAuthPresent': ['true'] } }],
    [{ StringEquals: { 'sts:ExternalId': ['secret'] } }],
    [{ StringEquals: { 'kms:ViaService': ['s3.eu-central-1.amazonaws.com'] } }],
    [{ StringEquals: { 'aws:PrincipalTag/team': ['core'], 'aws:username': ['joe'] } }],
    [{ StringLike: { 'aws:Referer': ['https://example.com/*'] } }],
    [{ StringEquals: { 's3:x-amz-acl': ['bucket-owner-full-control'] } }],
    [{ IpAddress: { 'aws:VpcSourceIp': ['10.0.0.0/8'] } }],
    [{ NumericLessThan: { 's3:max-keys': ['10'] } }],
  ])('%j', (conditions) => {
    expect(under(conditions)).toBe(true);
  });
});

describe('whether a statement allows everybody', () => {
  it('is open where a part is unknown that could decide', () => {
    expect(under(unknown)).toBe('unknown_value');
    expect(under({ StringEquals: unknown })).toBe('unknown_value');
    expect(under({ StringLike: { 'aws:PrincipalOrgID': [unknown] } })).toBe('unknown_value');
    expect(under({ IpAddress: { 'aws:SourceIp': [unknown] } })).toBe('unknown_value');
    expect(under({ IpAddress: { 'aws:SourceIp': ['the office'] } })).toBe('type_error');
    expect(allowsEverybody({ effect: unknown, principals: ['*'] })).toBe('unknown_value');
    expect(allowsEverybody({ effect: 'Allow', principals: [unknown] })).toBe('unknown_value');
    expect(allowsEverybody({ principals: ['*'] })).toBe('missing_attribute');
    expect(allowsEverybody(unknown)).toBe('unknown_value');
  });

  it('is known where the other parts decide', () => {
    const account = { StringEquals: { 'aws:SourceAccount': ['123456789012'] } };
    expect(under({ ...account, StringLike: unknown })).toBe(false);
    expect(under({ StringEquals: { 'sts:ExternalId': [unknown] } })).toBe(true);
    expect(under({ StringLike: { 'aws:PrincipalOrgID': [unknown, '*'] } })).toBe(true);
    expect(allowsEverybody({ effect: 'Deny', principals: unknown })).toBe(false);
    expect(allowsEverybody({ effect: 'Allow', principals: ['*', unknown] })).toBe(true);
    expect(allowsEverybody({ effect: unknown, principals: ['123456789012'] })).toBe(false);
  });
});
