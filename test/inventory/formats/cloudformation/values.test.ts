import { describe, expect, it } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { readTemplate } from './templates.ts';

const declarations = `
Parameters:
  Env: {Type: String, Default: prod}
  Free: {Type: String}
  Secret: {Type: String, NoEcho: true}
  Known: {Type: String, NoEcho: 'true', Default: hunter2}
  Days: {Type: Number, Default: '30'}
  Zones: {Type: CommaDelimitedList, Default: 'a, b,c'}
  Ports: {Type: List<Number>, Default: '80,443'}
  Image: {Type: 'AWS::SSM::Parameter::Value<AWS::EC2::Image::Id>', Default: /aws/image}
Mappings:
  Sizes:
    prod: {type: large, encrypted: true}
    dev: {type: small, encrypted: true}
Conditions:
  Prod: !Equals [!Ref Env, prod]
  NotProd: !Not [!Condition Prod]
  Open: !Equals [!Ref Free, x]
  Same: !Equals [!Ref Free, !Ref Free]
  Both: !And [!Condition Prod, !Condition Open]
  NotBoth: !And [!Condition NotProd, !Condition Open]
  One: !Or [!Condition Open, !Condition Prod]
  Neither: !Or [!Condition NotProd, !Condition Open]
  Loop: !Not [!Condition Loop]
  Odd: !Equals [!Ref Env]
  Number: !Equals [!Ref Days, 30]
Resources:
  Key: {Type: AWS::KMS::Key}
  It:
    Type: AWS::S3::Bucket
    Properties:
      Value: `;

/** The value of a property of a template with the declarations above. */
function valueOf(yaml: string, parameters: Readonly<Record<string, string>> = {}): unknown {
  const { resources } = readTemplate(declarations + yaml, parameters);
  const properties = resources.find(({ address }) => address === 'It')?.resource.properties ?? {};
  return properties['Value'];
}

/** What a value that is unknown says of itself, without what is not given. */
const unknown = (expression: string, known: object = {}) => ({
  ...new UnknownValue(expression, known),
});

describe('a known value is', () => {
  it.each<[string, unknown]>([
    ['plain', 'plain'],
    ['{a: [1, true, null]}', { a: [1, true, null] }],
    ['!Ref Env', 'prod'],
    ['!Ref Known', 'hunter2'],
    ['!Ref Days', 30],
    ['!Ref Zones', ['a', 'b', 'c']],
    ['!Ref Ports', [80, 443]],
    ['!Ref AWS::NoValue', undefined],
    ['[a, !Ref AWS::NoValue]', ['a']],
    ['{a: !Ref AWS::NoValue, b: 1}', { b: 1 }],
    ['{Ref: Env}', 'prod'],
    ['!Sub "${Env}-${Days}"', 'prod-30'],
    ['!Sub ["${Env}-${x}", {x: !Ref Days}]', 'prod-30'],
    ['!Sub "${!Env}"', '${Env}'],
    ['!Sub "$ { ${Env"', '$ { ${Env'],
    ['!Join ["-", [a, !Ref Env, 1]]', 'a-prod-1'],
    ['!Join [",", !Ref Zones]', 'a,b,c'],
    ['!Join ["", []]', ''],
    ['!Select [1, !Ref Zones]', 'b'],
    ['!Select ["0", [x, y]]', 'x'],
    ['!Split ["-", "a-b"]', ['a', 'b']],
    ['!Select [1, !Split ["-", !Sub "x-${Env}"]]', 'prod'],
    ['!FindInMap [Sizes, !Ref Env, type]', 'large'],
    ['!FindInMap [Sizes, !Ref Free, encrypted]', true],
    ['!FindInMap [Sizes, none, type, {DefaultValue: medium}]', 'medium'],
    ['!Base64 "hällo"', 'aMOkbGxv'],
    ['!Cidr ["10.0.0.0/16", 3, 8]', ['10.0.0.0/24', '10.0.1.0/24', '10.0.2.0/24']],
    ['!Length [a, b]', 2],
    ['!ToJsonString {a: !Ref Env}', '{"a":"prod"}'],
    ['!If [Prod, a, b]', 'a'],
    ['!If [NotProd, a, b]', 'b'],
    ['!If [NotProd, a, !Ref AWS::NoValue]', undefined],
    ['!If [Both, same, same]', 'same'],
    ['!If [NotBoth, a, b]', 'b'],
    ['!If [One, a, b]', 'a'],
    ['!If [Same, a, b]', 'a'],
    ['!If [Number, a, b]', 'a'],
    ['{a: {Fn::If: [Open, {x: 1, y: [1]}, {x: 1, y: [1]}]}}', { a: { x: 1, y: [1] } }],
    ['"{{resolve:secretsmanager:x}}"', '{{resolve:secretsmanager:x}}'],
    [
      '{Fn::ForEach::L: [N, [a, b-c], {"k${N}": "v${N}", "i&{N}": {Ref: N}}]}',
      { ka: 'va', ia: 'a', 'kb-c': 'vb-c', ibc: 'b-c' },
    ],
  ])('%s', (yaml, value) => {
    expect(valueOf(yaml)).toEqual(value);
  });

  it.each<[string, string, unknown]>([
    ['!Ref Env', 'dev', 'dev'],
    ['!If [Prod, a, b]', 'dev', 'b'],
    ['!FindInMap [Sizes, !Ref Env, type]', 'dev', 'small'],
  ])('as parameters say: %s', (yaml, Env, value) => {
    expect(valueOf(yaml, { Env })).toEqual(value);
  });

  it('a pseudo parameter that is given', () => {
    expect(valueOf('!Sub "${AWS::Region}a"', { 'AWS::Region': 'eu-west-1' })).toBe('eu-west-1a');
  });
});

describe('a value that cannot be known is', () => {
  it.each<[string, object]>([
    [
      '!Ref Free',
      unknown('Ref Free', { parameter: { name: 'Free', secret: false }, waitsFor: ['Free'] }),
    ],
    ['!Ref Secret', unknown('Ref Secret', { parameter: { name: 'Secret', secret: true } })],
    ['!Ref Image', unknown('Ref Image', { parameter: { name: 'Image', secret: false } })],
    ['!Ref AWS::Region', unknown('Ref AWS::Region', { waitsFor: ['AWS::Region'] })],
    ['!Ref Key', unknown('Ref Key', { target: 'Key' })],
    ['!Ref Nothing', unknown('Ref Nothing')],
    ['!GetAtt Key.Arn', unknown('GetAtt Key.Arn', { target: 'Key', attribute: 'Arn' })],
    ['!GetAtt [Key, Arn]', unknown('GetAtt Key.Arn', { target: 'Key', attribute: 'Arn' })],
    ['!GetAtt Nothing.Arn', unknown('GetAtt Nothing.Arn')],
    ['!Sub "${Key}"', unknown('Ref Key', { target: 'Key' })],
    [
      '!Sub "arn:${AWS::Partition}:s3:::${Env}/${Key.Arn}"',
      unknown('Sub arn:${AWS::Partition}:s3:::${Env}/${Key.Arn}', {
        text: 'arn:${AWS::Partition}:s3:::prod/${Key.Arn}',
        target: 'Key',
        waitsFor: ['AWS::Partition'],
      }),
    ],
    [
      '!Join [":", [arn, !Ref AWS::Region]]',
      unknown('Join', { text: 'arn:${AWS::Region}', waitsFor: ['AWS::Region'] }),
    ],
    ['!Select [0, !GetAZs ""]', unknown('Select GetAZs')],
    ['!FindInMap [Sizes, !Ref Free, type]', unknown('FindInMap Sizes', { waitsFor: ['Free'] })],
    ['!FindInMap [Sizes, none, type]', unknown('FindInMap Sizes')],
    ['!ImportValue x', unknown('ImportValue x')],
    ['!Base64 {Ref: Free}', unknown('Base64', { waitsFor: ['Free'] })],
    ['!Cidr [!Ref Free, 1, 8]', unknown('Cidr', { waitsFor: ['Free'] })],
    ['!ToJsonString [!Ref Free]', unknown('ToJsonString', { waitsFor: ['Free'] })],
    ['!Transform {Name: AWS::Include}', unknown('Transform')],
    ['!If [Both, a, b]', unknown('If Both', { waitsFor: ['Free'] })],
    ['!If [Neither, a, b]', unknown('If Neither', { waitsFor: ['Free'] })],
    ['!If [Loop, a, b]', unknown('If Loop')],
    ['!If [Odd, a, b]', unknown('If Odd')],
    ['!If [Undeclared, a, b]', unknown('If Undeclared')],
    [
      '!If [Open, a, !Ref AWS::NoValue]',
      unknown('If Open', { present: false, waitsFor: ['Free'] }),
    ],
  ])('%s', (yaml, value) => {
    const found = valueOf(yaml);
    expect(found).toBeInstanceOf(UnknownValue);
    expect({ ...(found as UnknownValue) }).toEqual(value); // as instance of the class above
  });

  it('only as much as the branches of a condition differ', () => {
    expect(valueOf('!If [Open, {a: 1, b: 2, l: [x, y]}, {a: 1, c: 3, l: [x, z]}]')).toEqual({
      a: 1,
      b: new UnknownValue('If Open', { present: false, waitsFor: ['Free'] }),
      c: new UnknownValue('If Open', { present: false, waitsFor: ['Free'] }),
      l: ['x', new UnknownValue('If Open', { waitsFor: ['Free'] })],
    });
  });

  it.each([
    [
      'texts that grow without end',
      nest(22, (inner) => `!Sub ["\${x}\${x}\${x}\${x}", {x: ${inner}}]`, 'x'),
    ],
    ['escapes that grow without end', nest(40, (inner) => `!ToJsonString [${inner}]`, '"\\""')],
  ])('what is made of %s', (_, yaml) => {
    expect(valueOf(yaml)).toBeInstanceOf(UnknownValue);
  });
});

function nest(depth: number, wrap: (inner: string) => string, core: string): string {
  return depth === 0 ? core : wrap(nest(depth - 1, wrap, core));
}
