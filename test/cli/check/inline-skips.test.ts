import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { planDocument, templateDocument } from '../../inventory/attributes/aws/twins.ts';
import { waiver } from './samples.ts';

const policies = `name: Buckets are versioned
key: versioned
resource_type: AWS::S3::Bucket
severity: HIGH
rules:
  - {condition: '!resource.versioning.enabled', effect: DENY, message: Turn versioning on.}
---
name: Buckets are encrypted
key: encrypted
resource_type: AWS::S3::Bucket
severity: HIGH
tags: [enforcement:mandatory]
rules:
  - {condition: 'has(resource.name) && resource.name == "open"', effect: DENY}
---
name: Ports are closed
key: closed
resource_type: AWS::EC2::SecurityGroup
severity: HIGH
rules:
  - {condition: 'resource.ingress.exists(r, "0.0.0.0/0" in r.cidrs)', effect: DENY}
`;

const repo = (files: Readonly<Record<string, string>>): string =>
  makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policies,
    ...files,
  });

interface Result {
  readonly summary: Readonly<Record<string, number>>;
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly warnings: readonly { code: string; file: string; line: number; message: string }[];
}

const now = '--now=2026-06-01';

async function check(cwd: string, ...words: string[]): Promise<Result & { exitCode: number }> {
  const { stdout, exitCode } = await runCommandLine(['check', now, ...words, '-o', 'json'], {
    cwd,
  });
  return { ...(JSON.parse(stdout) as Result), exitCode };
}

const plan = (...names: string[]): string =>
  JSON.stringify(
    planDocument(
      Object.fromEntries(names.map((name) => [`aws_s3_bucket.${name}`, { bucket: name }])),
    ),
  );

/** What a check of buckets says, with these sources. */
const checkPlan = (source: string, names: readonly string[], ...words: string[]) =>
  check(
    repo({ 'plan.json': plan(...names), 'main.tf': source }),
    'plan.json',
    '--source',
    '.',
    ...words,
  );

const bucket = (name: string, inside = ''): string =>
  `resource "aws_s3_bucket" "${name}" {${inside}\n  bucket = "${name}"\n}\n`;

const ask = '# govctl:skip=versioned until=2026-12-31 Moves in March';

describe('a comment in Terraform', () => {
  it.each([
    ['directly above the block', `${ask}\n${bucket('a')}`],
    ['above it with other comments between', `${ask}\n# Of the shop.\n// And more\n${bucket('a')}`],
    ['within it', bucket('a', `\n  ${ask}`)],
    ['behind the brace', bucket('a', ` ${ask}`)],
    ['between slashes', `/* ${ask.slice(2)} */\n${bucket('a')}`],
    ['with two slashes', bucket('a', `\n  //${ask.slice(1)}`)],
    [
      'with the name of the policy',
      bucket('a', `\n  ${ask.replace('versioned', '"Buckets are versioned"')}`),
    ],
    ['within a nested block', bucket('a', `\n  logging {\n    ${ask}\n    x = 1\n  }`)],
    ['with Windows line ends', `${ask}\n${bucket('a')}`.replaceAll('\n', '\r\n')],
  ])('%s exempts the resource until the end of its day', async (_, source) => {
    const kept = await checkPlan(`${source}${bucket('b')}`, ['a', 'b']);
    expect([kept.exitCode, kept.summary.exempt, kept.summary.fail]).toEqual([2, 1, 1]);
    const [exempt] = kept.results.filter(({ status }) => status === 'EXEMPT');
    expect(exempt).toMatchObject({
      policy_key: 'versioned',
      exemption: 'Moves in March (inline, until 2026-12-31)',
      inline_skip: { file: 'main.tf', until: '2026-12-31' },
    });
    expect(kept.warnings).toEqual([]);
    const ended = await checkPlan(source, ['a'], '--now', '2027-01-01');
    expect([ended.summary.fail, ended.warnings.map(({ code }) => code)]).toEqual([
      1,
      ['expired-exemption'],
    ]);
  });

  it.each([
    ['with a line between', `${ask}\n\n${bucket('a')}`, 1],
    ['behind the block before', `locals {\n} ${ask}\n${bucket('a')}`, 2],
    ['of no block', `${bucket('a')}\n${ask}\n`, 5],
    ['of a data block', `data "aws_s3_bucket" "x" {\n  ${ask}\n}\n${bucket('a')}`, 2],
    ['without a reason', bucket('a', '\n  # govctl:skip=versioned until=2026-12-31'), 2],
    ['without a date', bucket('a', '\n  # govctl:skip=versioned Moves in March'), 2],
    ['without a policy', bucket('a', '\n  # govctl:skip until=2026-12-31 Moves'), 2],
    ['of a day that does not exist', bucket('a', `\n  ${ask.replace('12-31', '02-30')}`), 2],
  ])('%s has no effect, which is warned of and can fail a check', async (_, source, line) => {
    const got = await checkPlan(source, ['a']);
    expect(got.summary).toMatchObject({ fail: 1, exempt: 0 });
    expect(got.warnings).toMatchObject([{ code: 'invalid-skip', file: 'main.tf', line }]);
    expect(JSON.stringify(got.warnings)).not.toContain('Metadata');
    const strict = await checkPlan(source, ['a'], '--fail-unused-exemptions', '--on-error', 'warn');
    expect(strict.exitCode).toBe(2);
  });

  it.each([
    '  x = "# govctl:skip=versioned until=2026-12-31 No"',
    '  x = <<EOF\n# govctl:skip=versioned until=2026-12-31 No\nEOF',
  ])('is not what a string says: %s', async (text) => {
    const got = await checkPlan(bucket('a', `\n${text}`), ['a']);
    expect([got.summary.fail, got.warnings]).toEqual([1, []]);
  });

  it('warns of a policy that does not exist, with the nearest', async () => {
    const got = await checkPlan(bucket('a', `\n  ${ask.replace('versioned', 'versoned')}`), ['a']);
    expect(got.warnings).toMatchObject([
      { code: 'unknown-policy', line: 2, hint: 'Did you mean "versioned"?' },
    ]);
    expect(got.summary.fail).toBe(1);
  });

  it('does not exempt from a mandatory policy', async () => {
    const got = await checkPlan(bucket('open', `\n  ${ask.replace('versioned', 'encrypted')}`), [
      'open',
    ]);
    expect(got.summary).toMatchObject({ fail: 2, exempt: 0 });
    expect(got.warnings).toMatchObject([{ code: 'mandatory-policy' }]);
  });

  it('that matches no finding is warned of, unless its policy or resource is not checked', async () => {
    const other = bucket('a', `\n  ${ask.replace('versioned', 'closed')}`);
    expect((await checkPlan(other, ['a'])).warnings).toMatchObject([{ code: 'unused-exemption' }]);
    expect((await checkPlan(other, ['a'], '--policy', 'versioned')).warnings).toEqual([]);
    expect(
      (await checkPlan(`${bucket('a', `\n${ask}`)}${bucket('b', `\n${ask}`)}`, ['a'])).warnings,
    ).toEqual([]);
  });

  it('of one block exempts each of its resources, and is used if one of them uses it', async () => {
    const document = planDocument({
      'aws_s3_bucket.a["x"]': { bucket: 'x' },
      'aws_s3_bucket.a["y"]': { bucket: 'y', versioning: [{ enabled: true }] },
    });
    const got = await check(
      repo({ 'plan.json': JSON.stringify(document), 'main.tf': bucket('a', `\n  ${ask}`) }),
      'plan.json',
      '--source=.',
    );
    expect([got.summary.exempt, got.summary.fail, got.warnings]).toEqual([1, 0, []]);
  });

  it('of a module from elsewhere exempts its resources', async () => {
    const document = {
      format_version: '1.2',
      resource_changes: [
        {
          address: 'module.logs.aws_s3_bucket.this',
          mode: 'managed',
          type: 'aws_s3_bucket',
          name: 'this',
          change: { actions: ['create'], after: { bucket: 'x' }, after_unknown: {} },
        },
      ],
    };
    const source = `module "logs" {\n  source = "example/logs/aws"\n  ${ask}\n}\n`;
    const cwd = repo({ 'plan.json': JSON.stringify(document), 'main.tf': source });
    expect((await check(cwd, 'plan.json', '--source=.')).summary).toMatchObject({
      exempt: 1,
      fail: 0,
    });
  });

  it('is ignored with --no-inline-skips, also where it is wrong', async () => {
    const got = await checkPlan(
      `${bucket('a', `\n  ${ask}`)}# govctl:skip\n`,
      ['a'],
      '--no-inline-skips',
    );
    expect([got.exitCode, got.summary.fail, got.warnings]).toEqual([2, 1, []]);
  });

  it('comes after an Exemption document, which has an owner', async () => {
    const exemption = waiver('"*"', '2026-12-31').replace('s3-encryption', 'versioned');
    const cwd = repo({
      'plan.json': plan('a'),
      'main.tf': bucket('a', `\n  ${ask}`),
      'policies/w.yaml': exemption,
    });
    const got = await check(cwd, 'plan.json', '--source=.');
    expect(got.results).toMatchObject([
      { exemption: expect.stringContaining('team-storage') as string },
    ]);
    expect(got.warnings).toMatchObject([{ code: 'unused-exemption', file: 'main.tf' }]);
  });
});

describe('a rule that is a resource of its own', () => {
  const rule = (
    cidr: string,
    metadata?: object,
  ): [string, Record<string, unknown>, object | undefined] => [
    'AWS::EC2::SecurityGroupIngress',
    {
      GroupId: { 'Fn::GetAtt': ['It', 'GroupId'] },
      IpProtocol: 'tcp',
      FromPort: 22,
      ToPort: 22,
      CidrIp: cidr,
    },
    metadata,
  ];
  const skip = { govctl: { skip: { policy: 'closed', until: '2026-12-31', reason: 'Bastion' } } };
  const summaryOf = async (...rules: ReturnType<typeof rule>[]) => {
    const document = templateDocument({
      It: ['AWS::EC2::SecurityGroup', { GroupDescription: 'web' }],
      ...Object.fromEntries(
        rules.map(([type, properties], index) => [`Rule${index}`, [type, properties]]),
      ),
    }) as { Resources: Record<string, Record<string, unknown>> };
    for (const [index, [, , metadata]] of rules.entries()) {
      const declared = document.Resources[`Rule${index}`];
      if (declared && metadata) declared.Metadata = metadata;
    }
    return check(repo({ 't.json': JSON.stringify(document) }), 't.json');
  };

  it('exempts its group where nothing else makes it fail', async () => {
    const got = await summaryOf(rule('0.0.0.0/0', skip), rule('10.0.0.0/8'));
    expect([got.summary.exempt, got.summary.fail, got.warnings]).toEqual([1, 0, []]);
  });

  it('does not hide another open rule', async () => {
    const got = await summaryOf(rule('0.0.0.0/0', skip), rule('0.0.0.0/0'));
    expect([got.summary.exempt, got.summary.fail]).toEqual([0, 1]);
    expect(got.warnings).toMatchObject([{ code: 'unused-exemption' }]);
  });

  it('exempts its group together with the others that ask for it', async () => {
    const got = await summaryOf(rule('0.0.0.0/0', skip), rule('0.0.0.0/0', skip));
    expect([got.summary.exempt, got.summary.fail, got.warnings]).toEqual([1, 0, []]);
  });
});

describe('metadata of a CloudFormation template', () => {
  const template = (skip: string): string => `Resources:
  A:
    Type: AWS::S3::Bucket
    Metadata:
      govctl:
        skip: ${skip}
`;
  const entry = '{policy: versioned, until: 2026-12-31, reason: Moves in March}';

  it.each([`[${entry}]`, entry])('exempts its resource: %s', async (skip) => {
    const cwd = repo({ 't.yaml': template(skip) });
    const got = await check(cwd, 't.yaml');
    expect(got.results).toMatchObject([
      { status: 'EXEMPT', inline_skip: { file: 't.yaml', line: 6 } },
    ]);
    expect([got.exitCode, got.warnings]).toEqual([0, []]);
    expect((await check(cwd, 't.yaml', '--no-inline-skips')).exitCode).toBe(2);
    const { stdout } = await runCommandLine(['check', now, 't.yaml', '-o', 'sarif'], { cwd });
    expect(stdout).toMatch(
      /"kind": "inSource",\s+"status": "accepted",\s+"justification": "Moves in March/,
    );
  });

  it.each([
    '[3]',
    'true',
    '{policy: versioned, until: 2026-12-31}',
    '{policy: versioned, until: 2026-13-31, reason: x}',
    '{policy: {Ref: P}, until: 2026-12-31, reason: x}',
  ])(
    'without a policy, a date and a reason has no effect, which is warned of: %s',
    async (skip) => {
      const got = await check(repo({ 't.yaml': template(skip) }), 't.yaml');
      expect([got.summary.fail, got.warnings]).toMatchObject([
        1,
        [
          {
            code: 'invalid-skip',
            line: 6,
            hint: expect.stringContaining('"Metadata": {') as unknown,
          },
        ],
      ]);
    },
  );
});
