// docs/truth.md: how verdicts are checked, with the figures. `npm run docs` writes it where the public data is.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { awsKinds } from '../inventory/same-verdict/aws-kinds.ts';
import { azureKinds } from '../inventory/same-verdict/azure-kinds.ts';
import { googleKinds } from '../inventory/same-verdict/google-kinds.ts';
import type { Kind } from '../inventory/same-verdict/kind.ts';
import { folder as celFolder, readCases } from './cel-cases.ts';
import { backEnds, score } from './cel-score.ts';
import { differences, hasCronCases, judgeAll } from './cron-cases.ts';
import { readBlock } from './generated-block.ts';
import { agrees, answerAll, hasGuardCases } from './guard-cases.ts';
import { readFolder } from './public-inputs.ts';
import { hasRecordings, recordings, statuses } from './recordings.ts';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'docs/truth.md');
const isThere = hasGuardCases && hasCronCases && hasRecordings && existsSync(celFolder);
if (!isThere) console.log('skipped: docs/truth.md stays as it is, the public data is not here');

/** Cases of the Guard registry that we decide otherwise, by rule and name: why. */
const disputed: Readonly<Record<string, string>> = {
  'COGNITO_USER_POOL_MFA_CONFIGURATION_RULE: MFA Conf does not exist':
    'The rule skips a user pool without an MFA setting. By default MFA is off in Cognito, so the pool fails.',
  'INCOMING_SSH_DISABLED: Security Group with SSH port 22 restricted to a CIDR other than 0.0.0.0/0, PASS':
    'The key of the protocol is misspelled (`IpProtocol"`), so the rule has none, and the Guard rule passes over it. It opens all ports to anyone.',
  'INCOMING_SSH_DISABLED: Security Group with no SSH ingress, SKIP':
    'The key of the protocol is misspelled (`IpProtocol"`), so the rule has none, and the Guard rule passes over it. It opens all ports to anyone.',
  'KINESIS_FIREHOSE_REDSHIFT_DESTINATION_CONFIGURATION_USES_SECURE_PARAMETER: RedshiftDestinationConfiguration does not exists':
    'The rule fails a stream without a Redshift destination. There is no password to evaluate.',
  'KINESIS_FIREHOSE_SPLUNK_DESTINATION_CONFIGURATION_USES_SECURE_PARAMETER: SplunkDestinationConfiguration does not exists':
    'The rule fails a stream without a Splunk destination. There is no token to evaluate.',
  'REDSHIFT_CLUSTER_CONFIGURATION_CHECK: Redshift cluster with Encrypted property NOT set (default false), FAIL':
    'The case is older than the default: since 2025-01-10, new clusters are encrypted by default (Amazon Redshift Management Guide, Behavior changes).',
};

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

const percent = (part: number, all: number): string => `${((100 * part) / all).toFixed(1)}%`;

function guardSection(): string {
  const answers = answerAll();
  const all = [...answers].flatMap(([rule, given]) => given.map((one) => ({ rule, ...one })));
  const services = groupBy(all, ({ rule }) => rule.split('_')[0] ?? '');
  const rows = [...services]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([service, given]) => {
      const rules = new Set(given.map(({ rule }) => rule)).size;
      return `| \`${service}_…\` | ${rules} | ${given.length} | ${given.filter(agrees).length} |`;
    });
  const others = all
    .filter((one) => !agrees(one))
    .map(({ rule, name, expected, verdict }) => {
      const why = disputed[`${rule}: ${name.trim()}`] ?? 'Open.';
      return `| \`${rule}\` | ${name.trim()} | ${expected} | ${verdict} | ${why} |`;
    })
    .sort();
  const agreed = all.filter(agrees).length;
  const errors = all.filter(({ verdict }) => verdict === 'ERROR').length;
  const withCases = [...answers.values()].filter((given) => given.length > 0).length;
  return `## AWS Guard Rules Registry

${answers.size} rules of the registry have policies in the library (tag \`guard:<RULE>\`); ${withCases} of them have published cases: templates, each with
PASS or FAIL. They are evaluated with both sets of the library. Of ${all.length} cases ${agreed} agree (${percent(agreed, all.length)}); ${errors} are ERROR.

| rules | with cases | cases | agree |
|---|---|---|---|
${rows.join('\n')}

Different verdicts:

| rule | case | published | govctl | reason |
|---|---|---|---|---|
${others.join('\n')}
`;
}

function recordingsSection(): string {
  const rows = recordings.map((recording) => {
    const isFound = statuses(recording, 'red').includes('FAIL');
    const isQuiet = statuses(recording, 'green').every((status) => status === 'PASS');
    return `| ${recording.folder} | \`${recording.policy}\` | ${isFound ? 'found' : 'not found'} | ${isQuiet ? 'no finding' : 'a finding'} |`;
  });
  return `## Recorded responses of AWS

Each policy is evaluated on recorded responses of AWS's APIs, written as AWS Config items: resources with a fault (red) and without one (green).

| recording | policy | red | green |
|---|---|---|---|
${rows.join('\n')}
`;
}

function celSection(): string {
  const files = readCases();
  const [closures = [], code = []] = backEnds.map(([, run]) =>
    files.map((file) => score(file, run)),
  );
  const rows = closures.map(
    ({ name, passed, total, excluded }, index) =>
      `| ${name} | ${total} | ${passed} | ${code[index]?.passed ?? 0} | ${excluded} |`,
  );
  const sum = (pick: (one: (typeof closures)[number]) => number) =>
    closures.reduce((all, one) => all + pick(one), 0);
  const [passed, total] = [sum((one) => one.passed), sum((one) => one.total)];
  return `## CEL conformance cases

Conditions are CEL. Of the public conformance cases that need no protobuf messages, ${passed} of ${total} pass (${percent(passed, total)}), both as closures and
as generated code. [Conditions](conditions.md#differences-from-the-cel-specification) lists intentional differences.

| section | cases | pass | pass as generated code | excluded: protobuf |
|---|---|---|---|---|
${rows.join('\n')}

Two kinds of cases do not pass: those of \`block_ext\` call \`cel.block\`, which only optimizers write; neither of the packages on the page
[Conditions](conditions.md#conformance) supports it. Two cases of \`type_deductions\` declare a generic function, \`tuple(T, U, V)\`; conditions
cannot declare functions.
`;
}

function cronSection(): string {
  const rows = (['robfig', 'cronos'] as const).map((name) => {
    const verdicts = judgeAll(name).map(([, verdict]) => verdict);
    const agreed = verdicts.filter((verdict) => verdict === 'agrees').length;
    const why = [...groupBy(verdicts, (verdict) => verdict)]
      .filter(([verdict]) => verdict !== 'agrees')
      .map(
        ([verdict, given]) =>
          `${differences[verdict as keyof typeof differences]}: ${given.length}`,
      )
      .sort();
    return `| ${name} | ${verdicts.length} | ${agreed} | ${why.join('; ')} |`;
  });
  return `## Schedules

Cron expressions are compared with the test cases of two public cron libraries. [Schedules](schedules.md) describes each difference.

| library | cases | agree | differences |
|---|---|---|---|
${rows.join('\n')}
`;
}

function filesSection(): string {
  const rows = (
    [
      ['cloudformation', 'CloudFormation templates'],
      ['terraform-plan', 'Terraform plans and states'],
      ['aws-config', 'AWS Config items'],
      ['gcp-assets', 'Google Cloud assets'],
      ['azure-resources', 'Azure templates and lists'],
    ] as const
  ).map(([folder, title]) => {
    const format =
      folder === 'terraform-plan' ? 'terraform' : folder === 'azure-resources' ? 'azure' : folder;
    const { total, failed, resources } = readFolder(folder, format);
    return `| ${title} | ${total} | ${total - failed.length} | ${resources.toLocaleString('en-US')} |`;
  });
  return `## Public files

The readers are tested with JSON files of other projects. An unreadable file has another format, such as a list of properties, or is damaged; the error shows the
location. Each file is also read with random damage, and with [harmless changes](#harmless-changes).

| files | total | read | resources |
|---|---|---|---|
${rows.join('\n')}
`;
}

function sourcesSection(): string {
  const everywhere = awsKinds.filter(({ unsupported }) => Object.keys(unsupported).length === 0);
  const kinds = [...awsKinds, ...azureKinds, ...googleKinds];
  const excuses = kinds.flatMap(({ type, settings: of, unsupported }) => [
    ...Object.entries(unsupported).map(([source, why]) => ({ type, source, setting: 'all', why })),
    ...of.flatMap(({ name, untold }) =>
      Object.entries(untold).map(([source, why]) => ({ type, source, setting: name, why })),
    ),
  ]);
  const rows = [...groupBy(excuses, ({ setting, why }) => `${setting} | ${why}`)].map(
    ([what, given]) => {
      const types = [...new Set(given.map(({ type }) => `\`${type}\``))].sort().join(', ');
      const where = [...new Set(given.map(({ source }) => source))].sort().join(', ');
      return `| ${types} | ${where} | ${what} |`;
    },
  );
  return `## The same verdict in every format

Each resource is described once and written in every format (native, template of CloudFormation or Azure, Terraform plan, Terraform state, and
export of AWS Config, Resource Manager or Cloud Asset Inventory), without settings, with each setting alone, and with all settings. Attributes and the
verdicts of all policies are the same; of the types of AWS, ${new Set(everywhere.map(({ type }) => type)).size} exist in all formats.

| cloud | types | forms of Terraform | settings | values |
|---|---|---|---|---|
${describedIn('AWS', awsKinds)}
${describedIn('Azure', azureKinds)}
${describedIn('Google Cloud', googleKinds)}

\`test/inventory/same-verdict/\` contains the descriptions; a new one has a few lines.

Exceptions:

| types | format | setting | reason |
|---|---|---|---|
${rows.sort().join('\n')}
`;
}

function describedIn(cloud: string, kinds: readonly Kind[]): string {
  const different = (names: readonly string[]): number => new Set(names).size;
  const settings = kinds.flatMap((kind) => kind.settings);
  return `| ${[
    cloud,
    different(kinds.map(({ type }) => type)),
    different(kinds.map(({ terraform }) => terraform)),
    settings.length,
    settings.flatMap(({ values }) => values).length,
  ].join(' | ')} |`;
}

const text =
  (): string => `<!-- Generated by \`npm run docs\` where the public data is; edit test/corpus/truth.test.ts instead. -->

# How verdicts are checked

The tests compare verdicts with published ones, with recorded responses of AWS, and between input formats;
this page shows the results. A wrong verdict is worse than none: if a policy cannot be evaluated, the result is an ERROR, never a pass.

| check | where |
|---|---|
| published verdicts of the AWS Guard Rules Registry | \`test/corpus/guard.test.ts\` |
| recorded responses of AWS, with and without a fault | \`test/corpus/aws-recordings.test.ts\` |
| CEL conformance cases | \`test/corpus/cel-conformance.test.ts\` |
| cases of two cron libraries | \`test/corpus/cron.test.ts\` |
| public files: as published, damaged, and rewritten without a change of meaning | \`test/corpus/\` |
| the same infrastructure in every format | \`test/inventory/same-verdict/\` |
| templates that follow their providers' guides: no finding | \`test/golden.test.ts\`, ${goldenFiles()} files in \`test/golden/\` |
| every policy has tests that pass and fail | \`test/policies-example.test.ts\` |

${[guardSection(), recordingsSection(), celSection(), cronSection(), filesSection(), sourcesSection()].join('\n')}
## Fixes

\`check --fix\` offers a fix if the finding is gone in the changed file, and no policy finds anything worse.
The test applies it to the public templates, and to plans with their \`.tf\` files (\`test/corpus/fixes.test.ts\`).

${readBlock(file, 'test/corpus/fixes.test.ts')}

## Harmless changes

Changes without a meaning do not change a verdict: another order of keys and resources, YAML instead of JSON, other logical IDs, additional unrelated
resources, one template split into several, \`"true"\` for \`true\`, another case of case-insensitive values, a plan's values alone. Inputs are generated from the
descriptions (\`test/inventory/same-verdict/harmless-changes.test.ts\`) and taken from the public files (\`test/corpus/harmless-changes.test.ts\`).
`;

const goldenFiles = (): number =>
  readdirSync(path.join(root, 'test/golden'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(?:ya?ml|json|template)$/.test(file),
  ).length;

test.runIf(isThere)('docs/truth.md has the figures', async () => {
  await expect(text()).toMatchFileSnapshot(file);
});

test.runIf(isThere)(
  'what we decide otherwise than the Guard registry has a reason, and no reason is left over',
  () => {
    const others = [...answerAll()].flatMap(([rule, given]) =>
      given.filter((one) => !agrees(one)).map(({ name }) => `${rule}: ${name.trim()}`),
    );
    expect(others.sort()).toEqual(Object.keys(disputed).sort());
  },
);
