import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, test } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const policy = (name: string, condition: string, patch: string): string => `name: ${name}
resource_type: AWS::S3::Bucket
severity: HIGH
rules:
  - {condition: '${condition}', effect: DENY}
remediation_action: 'patch:${patch}'
---
`;

const policies =
  policy('versioned', '!resource.versioning.enabled', '{"versioning":{"enabled":true}}') +
  policy('logged', '!resource.logging.enabled', '{"logging":{"target_bucket":"${LOG_BUCKET}"}}');

const source = `# Of the shop.
resource "aws_s3_bucket" "main" {
  bucket = "shop"   # its name
}

resource "aws_s3_bucket_versioning" "main" {
  bucket = aws_s3_bucket.main.id
  versioning_configuration {
    status = "Suspended"
  }
}
`;

const part = `
resource "aws_s3_bucket_versioning" "main" {
  bucket = aws_s3_bucket.main.id

  versioning_configuration {
    status = "Enabled"
  }
}
`;

interface Planned {
  readonly type: string;
  readonly after: Record<string, unknown>;
  readonly unknown?: Record<string, unknown>;
  readonly expressions: Record<string, unknown>;
  readonly index?: number;
}

const planOf = (resources: readonly Planned[]): string =>
  JSON.stringify({
    format_version: '1.2',
    terraform_version: '1.9.0',
    resource_changes: resources.map(({ type, after, unknown = {}, index }) => ({
      address: `${type}.main${index === undefined ? '' : `[${index}]`}`,
      mode: 'managed',
      type,
      name: 'main',
      ...(index === undefined ? {} : { index }),
      provider_name: 'registry.terraform.io/hashicorp/aws',
      change: { actions: ['create'], before: null, after, after_unknown: { id: true, ...unknown } },
    })),
    configuration: {
      root_module: {
        resources: resources.map(({ type, expressions }) => ({
          address: `${type}.main`,
          mode: 'managed',
          type,
          name: 'main',
          expressions,
        })),
      },
    },
  });

const bucket: Planned = {
  type: 'aws_s3_bucket',
  after: { bucket: 'shop', force_destroy: false, tags: null },
  expressions: { bucket: { constant_value: 'shop' } },
};
const suspended: Planned = {
  type: 'aws_s3_bucket_versioning',
  after: { versioning_configuration: [{ status: 'Suspended' }] },
  unknown: { bucket: true, versioning_configuration: [{ mfa_delete: true }] },
  expressions: {
    bucket: { references: ['aws_s3_bucket.main.id', 'aws_s3_bucket.main'] },
    versioning_configuration: [{ status: { constant_value: 'Suspended' } }],
  },
};
const older: Planned = {
  ...bucket,
  after: { ...bucket.after, acl: 'private' },
  unknown: { versioning: true },
};

const repoOf = (files: Readonly<Record<string, string>>): string =>
  makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policies,
    'plan.json': planOf([bucket, suspended]),
    'main.tf': source,
    ...files,
  });

const check = async (cwd: string, words: string) => {
  const { stdout, exitCode, stderr } = await runCommandLine(['check', ...words.split(' ')], {
    cwd,
    columns: 100,
  });
  return { stdout, exitCode, stderr };
};

const fixed = async (files: Readonly<Record<string, string>>, words = '') => {
  const cwd = repoOf(files);
  const { stdout } = await check(
    cwd,
    `plan.json --source . --policy versioned --fix --write -o json${words}`,
  );
  const { fixes } = JSON.parse(stdout) as { fixes: { offered: boolean; why?: string }[] };
  return { fix: fixes[0], text: readFileSync(path.join(cwd, 'main.tf'), 'utf8') };
};

it('shows what changes in the .tf files, and says what it was judged by', async () => {
  const cwd = repoOf({});
  const { stdout } = await check(cwd, 'plan.json --source . --policy versioned --fix');
  expect(stdout).toContain(`--- a/main.tf
+++ b/main.tf
@@ -6,6 +6,6 @@
 resource "aws_s3_bucket_versioning" "main" {
   bucket = aws_s3_bucket.main.id
   versioning_configuration {
-    status = "Suspended"
+    status = "Enabled"
   }
 }
`);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'Verified on a copy of the plan with these changes; run terraform plan',
  );
  expect(readFileSync(path.join(cwd, 'main.tf'), 'utf8')).toBe(source);
});

const alone = source.slice(0, source.indexOf('\nresource "aws_s3_bucket_v'));

test.each([
  ['the part that is there', source, [bucket, suspended], source.replace('Suspended', 'Enabled')],
  ['a part of its own', alone, [bucket], alone + part],
  [
    'a block of the bucket, before version 4 of the provider',
    alone,
    [older],
    alone.replace('\n}', '\n\n  versioning {\n    enabled = true\n  }\n}'),
  ],
])('writes %s', async (_what, text, plan, expected) => {
  const found = await fixed({ 'main.tf': text, 'plan.json': planOf(plan) });
  expect(found.fix).toMatchObject({ offered: true });
  expect(found.text).toBe(expected);
});

test.each([
  [
    'a part that may refer to the same resource',
    source.replace('aws_s3_bucket.main.id', 'local.bucket'),
    [bucket],
    'aws_s3_bucket_versioning.main may refer to the same resource',
  ],
  [
    'instances that each need a part',
    alone.replace('{\n', '{\n  count = 2\n'),
    [{ ...bucket, index: 0 }],
    'the resource has several instances, and each requires its own aws_s3_bucket_versioning',
  ],
  [
    'an expression',
    source.replace('"Suspended"', 'var.status'),
    [bucket, suspended],
    'the value of status is an expression',
  ],
  [
    'what Terraform ignores',
    source.replace(
      '  versioning_conf',
      '  lifecycle {\n    ignore_changes = [versioning_configuration]\n  }\n  versioning_conf',
    ),
    [bucket, suspended],
    'Terraform ignores changes to versioning_configuration for this resource',
  ],
  [
    'blocks that are nested without end',
    source.replace(/}\n$/, `${'a {\n'.repeat(20_000)}${'}\n'.repeat(20_000)}}\n`),
    [bucket, suspended],
    'the file has an unsupported form',
  ],
  [
    'a file that is too large to scan for each',
    `${source}# ${'x'.repeat(1024 * 1024)}\n`,
    [bucket, suspended],
    'the file is larger than 1 MiB',
  ],
  [
    'a source that is newer than the plan',
    source.replace('Suspended', 'Enabled'),
    [bucket, suspended],
    'the source already has this value; create a new plan',
  ],
])('offers no fix for %s', async (_what, text, plan, why) => {
  const found = await fixed({ 'main.tf': text, 'plan.json': planOf(plan) });
  expect(found.fix).toMatchObject({ offered: false, why });
  expect(found.text).toBe(text);
});

it('offers no fix for a resource that two files of a folder declare', async () => {
  const found = await fixed({ 'other.tf': source });
  expect(found.fix).toMatchObject({
    why: 'another file in the directory also declares the resource',
  });
  expect(found.text).toBe(source);
});

it('fills in a parameter, and asks for one that is missing', async () => {
  const cwd = repoOf({ 'main.tf': alone, 'plan.json': planOf([bucket]) });
  const words = 'plan.json --source . --policy logged --fix';
  expect((await check(cwd, words)).stdout.replace(/\s+/g, ' ')).toContain(
    'pass --fix-parameter LOG_BUCKET=VALUE',
  );
  const { stdout } = await check(cwd, `${words} --fix-parameter LOG_BUCKET=our-logs`);
  expect(stdout).toContain('+  target_bucket = "our-logs"');
});

it('asks for the sources of a plan', async () => {
  const { stdout } = await check(repoOf({}), 'plan.json --policy versioned --fix');
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'pass --source with the directory of the .tf files',
  );
});

test.each(['--fix-parameter A=b', '--fix --fix-parameter A'])('refuses %s', async (flags) => {
  const { exitCode, stderr } = await check(repoOf({}), `plan.json ${flags}`);
  expect(exitCode).toBe(3);
  expect(stderr).toContain('--fix-parameter');
});

it('ends in sources that need more fixes than are tried at once, and says how to go on', async () => {
  const amount = 60;
  const names = Array.from({ length: amount }, (_, nth) => `b${nth}`);
  const { resource_changes, configuration, ...head } = JSON.parse(planOf([older])) as {
    resource_changes: object[];
    configuration: { root_module: { resources: object[] } };
  };
  const named = (all: readonly object[]): object[] =>
    names.flatMap((name) => all.map((one) => ({ ...one, name, address: `aws_s3_bucket.${name}` })));
  const plan = {
    ...head,
    resource_changes: named(resource_changes),
    configuration: { root_module: { resources: named(configuration.root_module.resources) } },
  };
  const blocks = names.map((name) => `resource "aws_s3_bucket" "${name}" {\n}\n`);
  const cwd = repoOf({
    'plan.json': JSON.stringify(plan),
    'main.tf': `${blocks.join('')}# ${'x'.repeat(1_000_000)}\n`,
  });
  const words = 'plan.json --source . --policy versioned --fix -o json';
  const { fixes } = JSON.parse((await check(cwd, words)).stdout) as {
    fixes: { offered: boolean; why?: string }[];
  };
  expect(fixes).toHaveLength(amount);
  expect(fixes.filter(({ offered }) => offered).length).toBeGreaterThan(5);
  expect(fixes.at(-1)?.why).toMatch(/write the other fixes first, then run the command again$/);
});
