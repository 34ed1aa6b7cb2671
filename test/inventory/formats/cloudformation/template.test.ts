import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { cloudformation } from '../../../../src/inventory/formats/cloudformation/reader.ts';
import { readInventory } from '../../../../src/inventory/read.ts';
import { readTemplate } from './templates.ts';

/** The raw resources of a template, by logical id. */
function rawsOf(yaml: string, parameters: Readonly<Record<string, string>> = {}) {
  const { resources, problems } = readTemplate(yaml, parameters);
  expect(problems).toEqual([]);
  return Object.fromEntries(resources.map((one) => [one.address, one]));
}

describe('a resource of a template', () => {
  it('has its logical id, its type, what its own name and tags are, and what the template says beside', () => {
    const { Data } = rawsOf(`
Resources:
  Data:
    Type: AWS::S3::Bucket
    DeletionPolicy: Retain
    UpdateReplacePolicy: Delete
    DependsOn: [Key]
    Metadata: {owner: me}
    Properties:
      BucketName: data
      Tags:
        - {Key: Owner, Value: team}
        - {Key: Env, Value: prd}
  Key: {Type: 'AWS::KMS::Key'}`);
    expect(Data?.resource).toMatchObject({
      id: 'Data',
      type: 'AWS::S3::Bucket',
      name: 'data',
      provider: 'aws',
      environment: 'production',
      tags: { Owner: 'team', Env: 'prd' },
      properties: { BucketName: 'data' },
      source: {
        format: 'cloudformation',
        address: 'Data',
        deletion_policy: 'Retain',
        update_replace_policy: 'Delete',
        depends_on: ['Key'],
        metadata: { owner: 'me' },
      },
    });
    expect(Data?.at).toEqual(['Resources', 'Data']);
  });

  it('has the account and region that are given', () => {
    const given = { 'AWS::AccountId': '123456789012', 'AWS::Region': 'eu-west-1' };
    const { A } = rawsOf('Resources: {A: {Type: AWS::S3::Bucket}}', given);
    expect(A?.resource).toMatchObject({ account_id: '123456789012', region: 'eu-west-1' });
  });

  it('is left out where its condition is false, and kept where that is not known', () => {
    const found = rawsOf(`
Parameters: {Env: {Type: String}, Size: {Type: String, Default: s}}
Conditions:
  Small: !Equals [!Ref Size, s]
  Large: !Not [!Condition Small]
  Free: !Equals [!Ref Env, prod]
Resources:
  A: {Type: AWS::S3::Bucket, Condition: Small}
  B: {Type: AWS::S3::Bucket, Condition: Large}
  C: {Type: AWS::S3::Bucket, Condition: Free}`);
    expect(Object.keys(found)).toEqual(['A', 'C']);
    expect(found.A?.resource.source).toMatchObject({ condition: 'Small' });
    expect(found.C?.resource.source).toMatchObject({
      condition: new UnknownValue('Condition Free', { waitsFor: ['Env'] }),
    });
  });

  it.each([
    ['{Tags: {a: b, c: 1}}', { a: 'b', c: '1' }],
    ['{FileSystemTags: [{Key: a, Value: b}]}', { a: 'b' }],
    ['{UserPoolTags: {a: b}}', { a: 'b' }],
    ['{Tags: [{Key: a, Value: !Ref Nothing}]}', { a: new UnknownValue('Ref Nothing') }],
    ['{Tags: text}', {}],
    ['{}', {}],
  ])('keeps its tags where its type does: %s', (properties, tags) => {
    const { A } = rawsOf(`Resources: {A: {Type: AWS::X::Y, Properties: ${properties}}}`);
    expect(A?.resource.tags).toEqual(tags);
  });

  it.each([
    ['AWS::S3::Bucket', '{BucketName: x}', 'x'],
    ['AWS::EC2::SecurityGroup', '{GroupName: x}', 'x'],
    ['AWS::RDS::DBInstance', '{DBInstanceIdentifier: x, DBName: y}', 'x'],
    ['AWS::WAFv2::WebACL', '{Name: x}', 'x'],
    ['AWS::EC2::VPC', '{Tags: [{Key: Name, Value: x}]}', 'x'],
    ['AWS::Lambda::Permission', '{FunctionName: x}', undefined],
    ['AWS::S3::Bucket', '{}', undefined],
    ['AWS::S3::Bucket', '{BucketName: !Ref Nothing}', new UnknownValue('Ref Nothing')],
    [
      'AWS::EC2::VPC',
      '{Tags: [{Key: Name, Value: !Ref Nothing}]}',
      new UnknownValue('Ref Nothing'),
    ],
  ])('has the name that it gives itself: %s %s', (type, properties, name) => {
    const { A } = rawsOf(`Resources: {A: {Type: '${type}', Properties: ${properties}}}`);
    expect(A?.resource.name).toEqual(name);
  });

  it('does not say where it will be deployed, unless whoever deploys it does', () => {
    const template = 'Resources: {A: {Type: AWS::S3::Bucket}}';
    expect(rawsOf(template).A?.resource).toMatchObject({
      region: new UnknownValue('AWS::Region'),
      account_id: new UnknownValue('AWS::AccountId'),
    });
    const given = { 'AWS::Region': 'eu-central-1', 'AWS::AccountId': '111122223333' };
    expect(rawsOf(template, given).A?.resource).toMatchObject({
      region: 'eu-central-1',
      account_id: '111122223333',
    });
  });

  it('asks to be spared rules of AWS Guard and of cfn_nag', () => {
    const { A, B } = rawsOf(`
Resources:
  A:
    Type: AWS::S3::Bucket
    Metadata:
      guard: {SuppressedRules: [ONE, {TWO: why}, 3]}
      cfn_nag: {rules_to_suppress: [{id: W1, reason: why}, {reason: none}]}
  B: {Type: AWS::S3::Bucket, Metadata: {guard: text}}`);
    expect(A?.suppressed).toEqual(['guard:ONE', 'guard:TWO', 'cfn_nag:W1']);
    expect(B?.suppressed).toBeUndefined();
  });

  it('may come of a loop, also of a loop in a loop, and stands where the loop does', () => {
    const found = rawsOf(`
Transform: AWS::LanguageExtensions
Parameters: {Names: {Type: CommaDelimitedList, Default: 'a,b'}}
Resources:
  Fn::ForEach::Outer:
    - Name
    - !Ref Names
    - Fn::ForEach::Inner:
        - Number
        - [1, 2]
        - Bucket\${Name}\${Number}:
            Type: AWS::S3::Bucket
            Properties: {BucketName: !Sub "x-\${Name}-\${Number}"}
  Policy:
    Type: AWS::S3::BucketPolicy
    Properties: {Bucket: !Ref Bucketa1}`);
    expect(Object.keys(found)).toEqual(['Bucketa1', 'Bucketa2', 'Bucketb1', 'Bucketb2', 'Policy']);
    expect(found.Bucketb2?.resource.properties).toEqual({ BucketName: 'x-b-2' });
    expect(found.Bucketb2?.at).toEqual(['Resources', 'Fn::ForEach::Outer']);
    expect(found.Policy?.resource.properties.Bucket).toMatchObject({ target: 'Bucketa1' });
  });
});

describe('a part of a template that cannot be used is a problem with its place', () => {
  it.each<[name: string, yaml: string, line: number, column: number, message: RegExp]>([
    ['a resource without a type', 'A: {}', 2, 3, /A has no Type/],
    ['a type that is none', 'A: {Type: Bucket}', 2, 7, /"Bucket".*AWS::S3::Bucket/],
    ['a resource that is no map', 'A: [1]', 2, 3, /A must be a map/],
    ['properties that are no map', 'A: {Type: A::B, Properties: [1]}', 2, 19, /must be a map/],
    ['a macro that adds resources', 'Fn::Transform: {Name: X}', 2, 3, /are not in the template/],
    [
      'a loop over what is not known',
      'Fn::ForEach::L: [N, !Ref X, {"A${N}": {Type: A::B}}]',
      2,
      3,
      /is unknown/,
    ],
    [
      'a loop without end',
      `Fn::ForEach::L: [N, [${'1,'.repeat(1_000)}], {${Array.from({ length: 300 }, (_, i) => `"A${i}": {Type: A::B}`).join()}}]`,
      2,
      3,
      /ForEach/,
    ],
  ])('%s', (_, resource, line, column, message) => {
    const { resources, problems } = readTemplate(
      `Resources:\n  ${resource}\n  Good: {Type: AWS::S3::Bucket}`,
    );
    expect(resources.map(({ address }) => address)).toEqual(['Good']);
    expect(problems).toMatchObject([{ line, column }]);
    expect(problems[0]?.message).toMatch(message);
  });

  it.each(['yaml', 'json'])('a key that stands twice (%s)', (kind) => {
    const text =
      kind === 'yaml'
        ? 'Resources:\n  A: {Type: A::B}\n  A: {Type: A::C}'
        : '{"Resources": {\n "A": {"Type": "A::B"},\n  "A": {"Type": "A::C"}}}';
    const { problems, resources } = readTemplate(text);
    expect(problems).toEqual([{ message: 'duplicate key "A"', line: 3, column: 3 }]);
    expect(resources.map(({ resource }) => resource.type)).toEqual(['A::C']);
  });

  it('properties in the wrong case, which would pass for none', () => {
    const { problems, resources } = readTemplate('Resources: {A: {Type: A::B, properties: {X: 1}}, B: {Type: A::B}}');
    expect(problems).toMatchObject([{ message: 'the resource A has "properties"; write "Properties"', line: 1 }]);
    expect(resources.map(({ address }) => address)).toEqual(['B']);
  }); // prettier-ignore

  it('a property that begins with a small letter, which AWS refuses; types of others may have any', () => {
    const properties = 'Properties: {securityGroupIngress: []}';
    const { resources, problems } = readTemplate(`Resources: {A: {Type: "AWS::EC2::SecurityGroup", ${properties}}, B: {Type: "Own::Thing::Type", ${properties}}}`);
    expect(resources.map(({ address }) => address)).toEqual(['B']);
    expect(problems).toMatchObject([{ message: 'A has the property "securityGroupIngress"; properties begin with a capital letter: write "SecurityGroupIngress"', line: 1 }]);
  }); // prettier-ignore

  it('a parameter that the template does not have, with the nearest that it has', () => {
    const text = 'Parameters:\n  Env: {Type: String}\nResources: {A: {Type: A::B}}';
    expect(readTemplate(text, { Evn: 'x' }).problems).toEqual([
      {
        message: 'the template has no parameter Evn; did you mean Env?',
        line: 1,
        column: 1,
      },
    ]);
  });

  it.each([
    ['{Type: String, AllowedValues: [dev, prod]}', 'prod', undefined],
    ['{Type: String, AllowedValues: [dev, prod]}', 'Prod', '"dev", "prod"'],
    ['{Type: String, AllowedValues: [dev, prod]}', '', '"dev", "prod"'],
    ['{Type: String, AllowedValues: [true, false]}', 'true', undefined],
    ['{Type: Number, AllowedValues: [1, 2]}', '2', undefined],
    ['{Type: Number, AllowedValues: [1, 2]}', '3', '1, 2'],
    ['{Type: CommaDelimitedList, AllowedValues: [a, b]}', 'a, b', undefined],
    ['{Type: CommaDelimitedList, AllowedValues: [a, b]}', 'a,c', '"a", "b"'],
  ])('a value that a parameter does not allow: %s, %j', (declared, value, allowed) => {
    const text = `Parameters:\n  Env: ${declared}\nResources: {A: {Type: A::B}}`;
    expect(readTemplate(text, { Env: value }).problems).toEqual(
      allowed === undefined
        ? []
        : [{ message: `the parameter Env must have one of its allowed values: ${allowed}`, line: 2, column: 3 }],
    );
  }); // prettier-ignore

  it('a section that is no map', () => {
    const { problems } = readTemplate('Conditions: [1]\nResources: {A: {Type: A::B}}');
    expect(problems).toEqual([{ message: 'Conditions must be a map', line: 1, column: 1 }]);
  });

  it('a macro over the whole template', () => {
    const { problems, resources } = readTemplate(
      'Resources: {A: {Type: A::B}}\nFn::Transform: {Name: AWS::Include}',
    );
    expect(resources.map(({ address }) => address)).toEqual(['A']);
    expect(problems).toMatchObject([{ line: 2, column: 1 }]);
    expect(problems[0]?.message).toMatch(/check the processed template/);
  });

  it('the whole of it, where nothing can be used', () => {
    expect(readInventory('AWSTemplateFormatVersion: x\nResources: [1]')).toEqual({
      ok: false,
      problem: { message: 'Resources must be a map', line: 2, column: 1 },
    });
  });
});

it('no document whatever makes the reader throw', () => {
  const word = fc.constantFrom(
    ...[
      'Ref',
      'Fn::Sub',
      'Fn::If',
      'Fn::Join',
      'Fn::Select',
      'Fn::Split',
      'Fn::GetAtt',
      'Fn::FindInMap',
      'Fn::Cidr',
      'Fn::Base64',
      'Fn::Length',
      'Fn::ToJsonString',
      'Fn::ForEach::L',
      'Fn::Equals',
      'Fn::And',
      'Fn::Not',
      'Fn::Or',
      'Condition',
      'Fn::Transform',
      'Type',
      'Properties',
      'Tags',
      'Key',
      'Value',
      'Metadata',
      'guard',
      'SuppressedRules',
      'A',
      'B',
      '__proto__',
      'toString',
      'valueOf',
      'toJSON',
      'Function',
      'Fn::Transform',
    ],
  );
  const scalar = fc.oneof(
    word,
    fc.constantFrom('A.B', '${A}', '${A.B}${', 'AWS::NoValue', 'AWS::S3::Bucket', '10.0.0.0/16'),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, scalar, tie('list'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    map: fc.dictionary(word, tie('value'), { maxKeys: 3 }),
  }));
  const section = fc.oneof(
    value,
    fc.dictionary(fc.constantFrom('A', 'B', 'Function'), value, { maxKeys: 3 }),
  );
  const resource = fc.record(
    {
      Type: fc.constantFrom('AWS::S3::Bucket', 'AWS::Serverless::Function', 'x'),
      Properties: value,
      Condition: word,
    },
    { requiredKeys: [] },
  );
  const template = fc.record(
    {
      Resources: fc.oneof(section, fc.dictionary(word, resource, { maxKeys: 3 })),
      Parameters: section,
      Conditions: section,
      Mappings: section,
      Globals: section,
      Transform: value,
    },
    { requiredKeys: ['Resources'] },
  );
  fc.assert(
    fc.property(fc.oneof(template, value), (document) => {
      const { raws, problems } = cloudformation.read(document, {});
      for (const one of [...raws, ...problems]) expect(one).toBeDefined();
    }),
    { numRuns: 2_000 },
  );
});
