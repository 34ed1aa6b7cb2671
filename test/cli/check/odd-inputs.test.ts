import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

/** A policy of one rule that denies what the condition says. */
const policy = (name: string, type: string, condition: string): string => `name: ${name}
description: Tests what comes of it
resource_type: ${type}
severity: HIGH
rules:
  - effect: DENY
    message: It is denied
    condition: "${condition}"
`;

const policies = [
  policy('bucket', 'AWS::S3::Bucket', "resource.acl == 'public-read'"),
  policy('versions', 'AWS::S3::Bucket', '!resource.versioning.enabled'),
  policy('account', 'Azure::Storage::storageAccounts', '!resource.tls.required'),
  policy('network', 'Azure::Storage::storageAccounts', 'resource.public_access'),
].join('---\n');

/** What `check` says of one document: `POLICY RESOURCE STATUS` of each evaluation, and what it says beside them. */
async function check(document: unknown, words: readonly string[] = []) {
  const cwd = makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policies,
    'input.json': typeof document === 'string' ? document : JSON.stringify(document, null, 2),
  });
  const argv = ['check', 'input.json', '--all', '-o', 'json', ...words];
  const { stdout, stderr, exitCode } = await runCommandLine(argv, { cwd });
  if (stdout === '') throw new Error(stderr);
  const said = JSON.parse(stdout) as {
    summary: { resources: number };
    results: { policy: string; resource: string; status: string; line: number }[];
    left_out: { resource: string; condition: string; line: number }[];
    unreadable: { message: string; line: number; column: number }[];
    warnings: { message: string; line: number; column: number }[];
  };
  return { ...said, exitCode };
}

const bucket = (Properties: object = {}, more: object = {}) => ({
  Type: 'AWS::S3::Bucket',
  Properties,
  ...more,
});
const item = (configuration: object) => ({
  resourceType: 'AWS::S3::Bucket',
  resourceId: 'shop',
  resourceName: 'shop',
  ARN: 'arn:aws:s3:::shop',
  accountId: '123456789012',
  awsRegion: 'eu-west-1',
  configuration: { name: 'shop' },
  supplementaryConfiguration: configuration,
});
const account = (name: unknown, properties: object = {}, more: object = {}) => ({
  type: 'Microsoft.Storage/storageAccounts',
  apiVersion: '2023-01-01',
  name,
  properties,
  ...more,
});
const arm = (resources: unknown, more: object = {}) => ({
  $schema: 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
  contentVersion: '1.0.0.0',
  resources,
  ...more,
});
const nested = (name: string, resources: unknown) => ({
  type: 'Microsoft.Resources/deployments',
  apiVersion: '2022-09-01',
  name,
  properties: { mode: 'Incremental', template: arm(resources) },
});
const planned = (address: string, change: object, index?: number | string) => ({
  address,
  mode: 'managed',
  type: 'aws_s3_bucket',
  name: 'main',
  ...(index === undefined ? {} : { index }),
  provider_name: 'registry.terraform.io/hashicorp/aws',
  change: { actions: ['create'], before: null, ...change },
});
const plan = (...resource_changes: object[]) => ({ format_version: '1.2', resource_changes });
const isProd = {
  Parameters: { Stage: { Type: 'String' } },
  Conditions: { Prod: { 'Fn::Equals': [{ Ref: 'Stage' }, 'prod'] } },
};

/** What the two policies about a bucket, or about an account, say of it. */
const verdicts = (resource: string, first: string, second: string): string[] => {
  const about = resource.includes('storageAccounts')
    ? ['account', 'network']
    : ['bucket', 'versions'];
  return [first, second].map((status, at) => `${about[at] ?? ''} ${resource} ${status}`);
};
const azure = (name: string): string => `Microsoft.Storage/storageAccounts/${name}`;
const open = { AccessControl: 'PublicRead' };
const plain = { supportsHttpsTrafficOnly: false };

/** Each is decided, or an ERROR: never a silent PASS. */
const decided: readonly [what: string, document: unknown, verdicts: readonly string[]][] = [
  [
    'two resources of one id that differ',
    {
      configurationItems: ['Enabled', 'Off'].map((status) =>
        item({ BucketVersioningConfiguration: { status } }),
      ),
    },
    [
      ...verdicts('arn:aws:s3:::shop', 'PASS', 'PASS'),
      ...verdicts('arn:aws:s3:::shop', 'PASS', 'FAIL'),
    ],
  ],
  [
    'a resource under a condition that is not known',
    { ...isProd, Resources: { A: bucket(open, { Condition: 'Prod' }) } },
    verdicts('A', 'FAIL', 'FAIL'),
  ],
  [
    'a resource under a condition that the template lacks',
    { Resources: { A: bucket({}, { Condition: 'Gone' }) } },
    verdicts('A', 'PASS', 'FAIL'),
  ],
  [
    'a value that depends on a condition that is not known',
    {
      ...isProd,
      Resources: { A: bucket({ AccessControl: { 'Fn::If': ['Prod', 'Private', 'PublicRead'] } }) },
    },
    verdicts('A', 'ERROR', 'FAIL'),
  ],
  [
    'a value that a macro may change',
    { Resources: { A: bucket({ AccessControl: 'Private', 'Fn::Transform': { Name: 'Mine' } }) } },
    verdicts('A', 'ERROR', 'ERROR'),
  ],
  [
    'a loop over a list',
    {
      Transform: 'AWS::LanguageExtensions',
      Resources: { 'Fn::ForEach::Buckets': ['X', ['One', 'Two'], { 'B${X}': bucket(open) }] },
    },
    [...verdicts('BOne', 'FAIL', 'FAIL'), ...verdicts('BTwo', 'FAIL', 'FAIL')],
  ],
  [
    'instances of a module, one with a value that is known after apply',
    plan(
      planned('module.a["x"].aws_s3_bucket.main[0]', { after: { acl: 'public-read' } }, 0),
      planned(
        'module.a["x"].aws_s3_bucket.main[1]',
        { after: {}, after_unknown: { acl: true } },
        1,
      ),
    ),
    [
      ...verdicts('module.a["x"].aws_s3_bucket.main[0]', 'FAIL', 'FAIL'),
      ...verdicts('module.a["x"].aws_s3_bucket.main[1]', 'ERROR', 'FAIL'),
    ],
  ],
  [
    'an Azure resource under a condition that is not known',
    arm([account('a', plain, { condition: "[equals(parameters('s'), 'x')]" })], {
      parameters: { s: { type: 'string' } },
    }),
    verdicts(azure('a'), 'FAIL', 'FAIL'),
  ],
  [
    'a word for a setting that nobody has seen',
    arm([account('a', { publicNetworkAccess: 'SometimesOnSundays' })]),
    verdicts(azure('a'), 'PASS', 'ERROR'),
  ],
  [
    'an API version of 2014, in which TLS was not required by default',
    arm([account('a', {}, { apiVersion: '2014-04-01' })]),
    verdicts(azure('a'), 'FAIL', 'FAIL'),
  ],
  [
    'an API version of next year',
    arm([account('a', {}, { apiVersion: '2027-12-01' })]),
    verdicts(azure('a'), 'PASS', 'FAIL'),
  ],
  [
    'an API version that is no date',
    arm([account('a', {}, { apiVersion: 'latest' })]),
    verdicts(azure('a'), 'ERROR', 'FAIL'),
  ],
  [
    'copies, and a deployment within another',
    arm([
      account("[concat('a', copyIndex())]", plain, { copy: { name: 'c', count: 2 } }),
      nested('inner', [account('b', plain)]),
    ]),
    ['a0', 'a1', 'b'].flatMap((name) => verdicts(azure(name), 'FAIL', 'FAIL')),
  ],
  [
    'copies of which nobody says how many',
    arm([account('a', plain, { copy: { name: 'c', count: "[parameters('n')]" } })], {
      parameters: { n: { type: 'int' } },
    }),
    verdicts(azure('a'), 'FAIL', 'FAIL'),
  ],
  [
    'a template with symbolic names',
    arm({ main: account('a', plain) }, { languageVersion: '2.0' }),
    verdicts(azure('a'), 'FAIL', 'FAIL'),
  ],
];

describe('decided by the rule, or an ERROR:', () => {
  it.each(decided)('%s', async (_, document, expected) => {
    const { results, unreadable, left_out } = await check(document);
    const said = results.map((one) => `${one.policy} ${one.resource} ${one.status}`);
    expect(said.sort()).toEqual([...expected].sort());
    expect([unreadable, left_out]).toEqual([[], []]);
  });
});

describe('named, with its place:', () => {
  it('a resource under a condition that is false', async () => {
    const Parameters = { Stage: { Type: 'String', Default: 'dev' } };
    const { left_out, exitCode } = await check({
      ...isProd,
      Parameters,
      Resources: { A: bucket(open, { Condition: 'Prod' }) },
    });
    expect(left_out).toMatchObject([{ resource: 'A', condition: 'Prod', line: 19 }]);
    expect(exitCode).toBe(0);
    const account0 = account('a', plain, { condition: false });
    expect((await check(arm([account0]))).left_out).toMatchObject([
      { resource: azure('a'), condition: 'false', line: 5 },
    ]);
  });

  it('a macro that nobody knows, beside resources of SAM', async () => {
    const { warnings, results, summary } = await check({
      Transform: ['AWS::Serverless-2016-10-31', 'Mine'],
      Resources: { T: { Type: 'AWS::Serverless::SimpleTable' }, A: bucket(open) },
    });
    expect(warnings).toMatchObject([
      { message: expect.stringContaining('the macro Mine') as unknown, line: 2 },
    ]);
    expect([summary.resources, results.length]).toEqual([2, 2]);
  });

  it('a loop over a list that is not known', async () => {
    const { unreadable, exitCode } = await check({
      Transform: 'AWS::LanguageExtensions',
      Parameters: { L: { Type: 'CommaDelimitedList' } },
      Resources: { 'Fn::ForEach::Buckets': ['X', { Ref: 'L' }, { 'B${X}': bucket(open) }] },
    });
    expect(unreadable).toMatchObject([
      { message: expect.stringContaining('its list is unknown') as unknown, line: 9 },
    ]);
    expect(exitCode).toBe(3);
  });
});

/** The place and the message of what is said: `LINE:COLUMN MESSAGE`. */
const said = (ones: readonly { message: string; line: number; column: number }[]): string[] =>
  ones.map(({ line, column, message }) => `${line}:${column} ${message}`);
const sure = planned('aws_s3_bucket.sure', { after: { acl: 'private' } });
const noValues = ', so it is not checked; write the plan again with `terraform show -json`';
const live = (name: string) => ({
  id: `/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/${name}`,
  type: 'Microsoft.Storage/storageAccounts',
  name,
  properties: {},
});

/** Read by half: what is there is checked, and the exit code is 3 whatever comes of it. */
const halfRead: readonly [what: string, document: unknown, message: string][] = [
  [
    'a state that OpenTofu encrypted',
    { serial: 1, lineage: 'x', meta: {}, encrypted_data: 'eA==', encryption_version: 'v0' },
    '1:1 this state is encrypted, so it cannot be checked; decrypt it with `tofu show -json`',
  ],
  [
    'a plan that stopped with an error',
    { errored: true, ...plan(sure) },
    '2:3 Terraform stopped with an error while creating this plan, so resources are missing; run `terraform plan` again',
  ],
  [
    'changes that are no list',
    { format_version: '1.2', resource_changes: { sure } },
    '3:3 resource_changes must be a list, so it is not checked; write the file again with `terraform show -json`',
  ],
  [
    'an entry without a change',
    plan({ ...sure, change: undefined }),
    `4:5 aws_s3_bucket.sure has no change${noValues}`,
  ],
  [
    'an entry without planned values',
    plan(planned('aws_s3_bucket.bare', { actions: ['update'], after: null })),
    `4:5 aws_s3_bucket.bare has no planned values${noValues}`,
  ],
  [
    'an entry of a mode that nobody knows',
    plan({ ...sure, mode: 'MANAGED' }),
    '4:5 aws_s3_bucket.sure has the unknown mode "MANAGED", so it is not checked',
  ],
  [
    'a state whose instances are missing',
    {
      version: 4,
      lineage: 'x',
      resources: [{ mode: 'managed', type: 'aws_s3_bucket', name: 'main', instances: null }],
    },
    '5:5 instances of aws_s3_bucket.main must be a list, so none are checked; write the state again with `terraform state pull`',
  ],
  [
    'a macro over the whole template',
    { 'Fn::Transform': { Name: 'AWS::Include' }, Resources: { A: bucket() } },
    '2:3 Fn::Transform adds resources that are not in the template, so they are not checked; also check the processed template (aws cloudformation get-template --template-stage Processed)',
  ],
  [
    'an Azure list with a text in it',
    [live('a'), 'b'],
    '8:3 an Azure resource needs an ID and a type',
  ],
  [
    'a snapshot with a text in it',
    { configurationItems: ['x', item({})] },
    '3:5 this entry is not a configuration item with a resourceType and a configuration, so it is not checked; export it again',
  ],
];

describe('unreadable, with its place and what to do, and exit code 3:', () => {
  it.each(halfRead)('%s', async (_, document, message) => {
    const { unreadable, exitCode } = await check(document, ['--fail-on', 'CRITICAL']);
    expect(said(unreadable)).toEqual([message]);
    expect(exitCode).toBe(3);
  });

  it('is told in the text output with its file', async () => {
    const cwd = makeRepo({
      'govctl.yaml': 'project: p\npaths: [policies]\n',
      'policies/a.yaml': policies,
      'plan.json': JSON.stringify({ errored: true, ...plan(sure) }, null, 2),
    });
    const { stdout, stderr, exitCode } = await runCommandLine(['check', 'plan.json'], { cwd });
    expect(`${stdout}${stderr}`).toMatch(/plan\.json:2:3.*Terraform stopped with an error/s);
    expect(exitCode).toBe(3);
  });
});

const pageOf = (name: string): string =>
  `this is one page of a longer list (it has ${name}); to check all resources, pass the other pages, too`;

/** All that is there was read, and more may be elsewhere. */
const onePart: readonly [what: string, document: unknown, warning: string][] = [
  [
    'a plan that is not complete',
    { complete: false, ...plan(sure) },
    '2:3 the plan is incomplete, for example because of -target or deferred changes; resources that it omits are not checked',
  ],
  [
    'a page of Azure Resource Manager',
    { nextLink: 'https://x/?$skiptoken=y', value: [live('a')] },
    `2:3 ${pageOf('nextLink')}`,
  ],
  [
    'a page of AWS Config',
    { NextToken: 'x', configurationItems: [item({})] },
    `2:3 ${pageOf('NextToken')}`,
  ],
  [
    'a page of Cloud Asset Inventory',
    {
      nextPageToken: 'x',
      assets: [
        {
          name: '//storage.googleapis.com/shop',
          asset_type: 'storage.googleapis.com/Bucket',
          resource: { data: { name: 'shop' } },
        },
      ],
    },
    `2:3 ${pageOf('nextPageToken')}`,
  ],
  [
    'the last page of Azure Resource Graph, which has no token',
    { count: 1, data: [live('a')], skip_token: null, total_records: 1_006 },
    `12:3 ${pageOf('1 of 1,006 rows')}`,
  ],
  [
    'an answer of AWS Config that lacks resources',
    { baseConfigurationItems: [item({})], unprocessedResourceKeys: [{ resourceId: 'b' }] },
    '16:3 this answer lacks 1 of the resources that were asked for (unprocessedResourceKeys); ask for them again, and pass that answer, too',
  ],
  [
    'the last page of an inventory',
    {
      resources: [{ id: 'a', type: 'AWS::S3::Bucket' }],
      pagination: { total: 4, offset: 3, has_more: false },
    },
    `9:5 ${pageOf('1 of 4 rows')}`,
  ],
];

describe('a warning with its place, and no other exit code:', () => {
  it.each(onePart)('%s', async (_, document, warning) => {
    const words = ['--fail-on', 'CRITICAL'];
    const { warnings, unreadable, exitCode, summary } = await check(document, words);
    expect([said(warnings), unreadable, exitCode]).toEqual([[warning], [], 0]);
    expect(summary.resources).toBe(1);
  });

  it.each(['', null])('but none where the next page is %j', async (nextLink) => {
    const { warnings } = await check({ nextLink, totalRecords: 1, value: [live('a')] });
    expect(warnings).toEqual([]);
  });
});
