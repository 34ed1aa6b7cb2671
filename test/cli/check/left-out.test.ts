import { expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { bucket, policies } from './samples.ts';

const template = `Parameters: {Env: {Type: String, Default: dev}}
Conditions: {Prod: !Equals [!Ref Env, prod]}
Resources:
  Plain: {Type: AWS::S3::Bucket}
  Archive:
    Type: AWS::S3::Bucket
    Condition: Prod
  Jobs: {Type: AWS::SQS::Queue, Condition: Prod}
`;

const check = (words: string, files: Readonly<Record<string, string>> = {}) =>
  runCommandLine(['check', ...words.split(' '), '--policy', 's3-owner'], {
    cwd: makeRepo({
      'govctl.yaml': 'project: p\npaths: [policies]\n',
      'policies/a.yaml': policies.replace('== "nobody"', '== "nobody" || true'),
      't.yaml': template,
      ...files,
    }),
    columns: 80,
  });

it('says how many resources a false condition leaves out, and which', async () => {
  const { stdout, exitCode } = await check('t.yaml');
  expect(stdout)
    .toContain(`Checked 1 resource in 1 file (1 policy): 1 evaluation, 0 passed, 1 failed.
2 resources excluded because their conditions are false: Archive (Prod), Jobs
  (Prod). Use --all-conditions to check them.
`);
  expect(exitCode).toBe(2);
  const buckets = await check('t.yaml --type AWS::S3::Bucket');
  expect(buckets.stdout).toContain('1 resource excluded because its condition is false: Archive (Prod).'); // prettier-ignore
  const none = await check('n.yaml', { 'n.yaml': template.replace(/.*Plain.*\n/, '') });
  expect(none.stdout).toContain(
    'Nothing was evaluated: the conditions of all resources are false.',
  );
});

it('lists them in JSON, SARIF, JUnit and the summaries of reviews', async () => {
  const json = await check('t.yaml -o json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    summary: { resources: 1 },
    left_out: [
      {
        resource: 'Archive',
        resource_type: 'AWS::S3::Bucket',
        condition: 'Prod',
        file: 't.yaml',
        line: 5,
        column: 3,
      },
      { resource: 'Jobs', resource_type: 'AWS::SQS::Queue', condition: 'Prod', line: 8 },
    ],
  });
  const said = 'Archive (AWS::S3::Bucket) was excluded because its condition is false: Prod';
  const { stdout: sarif } = await check('t.yaml -o sarif');
  const notifications: unknown = (
    JSON.parse(sarif) as { runs: [{ invocations: [{ toolExecutionNotifications: unknown }] }] }
  ).runs[0].invocations[0].toolExecutionNotifications;
  expect(notifications).toMatchObject([
    { level: 'note', message: { text: `t.yaml:5: ${said}` } },
    { level: 'note' },
  ]);
  const { stdout: junit } = await check('t.yaml -o junit');
  expect(junit).toContain(`<skipped message="${said}"/>`);
  for (const format of ['markdown', 'github'])
    expect((await check(`t.yaml -o ${format}`)).stdout).toContain('2 resources excluded');
});

it('checks them with --all-conditions', async () => {
  const { stdout } = await check('t.yaml --all-conditions -o json');
  expect(JSON.parse(stdout)).toMatchObject({
    summary: { resources: 3, fail: 2 },
    results: [{ resource: 'Plain' }, { resource: 'Archive' }],
    left_out: [],
  });
});

it('gives the parameters as they are a say', async () => {
  const { stdout } = await check('t.yaml --parameters Env=prod -o json');
  expect(JSON.parse(stdout)).toMatchObject({ summary: { resources: 3 }, left_out: [] });
});

it('warns of an id that is there twice where no person reads the output, too', async () => {
  const twice = `[${bucket('a', true)},\n${bucket('a', false)},\n${bucket('a', false)}]`;
  const said = 'duplicate resource ID "a" in this file';
  for (const format of ['json', 'sarif', 'junit', 'github', 'markdown']) {
    const { stdout, stderr } = await check(`a.json -o ${format}`, { 'a.json': twice });
    expect(stderr).toContain(`a.json:2: ${said}; and 1 more duplicate ID`);
    expect(stdout.replaceAll(/\\|&quot;/g, '"').replaceAll('""', '"')).toContain(said);
  }
});

it('warns of a macro that may change a template, and checks what is written', async () => {
  const macro = { 'm.yaml': `Transform: Mine\n${template}` };
  const { stdout } = await check('m.yaml', macro);
  expect(stdout).toContain('m.yaml:1:1: warning: the template uses the macro Mine, which');
  const json = JSON.parse((await check('m.yaml -o json', macro)).stdout) as { warnings: unknown };
  expect(json.warnings).toMatchObject([{ code: 'not-known', file: 'm.yaml', line: 1 }]);
  const said = 'the template uses the macro Mine, which may add or change resources';
  const { stdout: sarif } = await check('m.yaml -o sarif', macro);
  expect(JSON.parse(sarif)).toMatchObject({
    runs: [
      {
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: [
              {
                level: 'warning',
                message: { text: expect.stringContaining(`m.yaml:1: ${said}`) as unknown },
              },
              { level: 'note' },
              { level: 'note' },
            ],
          },
        ],
      },
    ],
  });
  const { stdout: junit } = await check('m.yaml -o junit', macro);
  expect(junit).toMatch(
    new RegExp(`<system-out>m.yaml:1:1: warning: ${said}.*</system-out>\n {2}</testsuite>`),
  );
  for (const format of ['markdown', 'github'])
    expect((await check(`m.yaml -o ${format}`, macro)).stdout).toContain(said);
});

it('says first what of the input could not be read', async () => {
  const { stdout, exitCode } = await check('t.yaml --parameters Enw=prod');
  expect(exitCode).toBe(3);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /has no parameter Enw; did you mean Env\?.* 1 part of the input could not be read: the check is incomplete\. [A-Z0-9]/,
  );
});

it('names the condition of a resource that is left out, where it is to be explained', async () => {
  const { stderr, exitCode } = await check('t.yaml --explain=Archive');
  expect(exitCode).toBe(3);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    '--explain Archive: Archive was excluded because its condition is false: Prod',
  );
});
