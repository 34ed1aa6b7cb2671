import { trustCommands } from './trust-commands.ts';
import { indent, notInstalled, packFromGit, testCommand } from './workflow-facts.ts';
import type { WorkflowFacts } from './workflow-facts.ts';

export const githubFile = '.github/workflows/governance.yml';

/** Actions by the commit of a release: a tag can be moved to other code. */
const actions = {
  checkout: 'actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0',
  setupNode: 'actions/setup-node@a0853c24544627f65ddf259abe73b1d18a591444 # v5.0.0',
  cache: 'actions/cache@0400d5f644dc74513175e3cd8d07132dd4860809 # v4.2.4',
  uploadArtifact: 'actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2',
  downloadArtifact: 'actions/download-artifact@634f93cb2916e3fdff6788551b99b062d0335ce0 # v5.0.0',
  uploadSarif:
    'github/codeql-action/upload-sarif@f443b600d91635bebf5b0d9ebc620189c0d6fba5 # v4.30.8',
} as const;

const summary = (file: string): string[] => [
  `- if: \${{ !cancelled() && hashFiles('${file}') != '' }}`,
  `  run: cat ${file} >> "$GITHUB_STEP_SUMMARY"`,
];

/** GitHub gives neither forks nor Dependabot secrets or ID tokens. */
const isOwn =
  "github.event.pull_request.head.repo.full_name == github.repository && github.event.pull_request.user.login != 'dependabot[bot]'";

/** The workflow of a repo of policies on GitHub, as YAML. */
export function githubWorkflow(facts: WorkflowFacts): string {
  const { branch, isTested, hasCiLogins } = facts;
  const { job, steps } = installation(facts);
  const needs = job === undefined ? [] : ['needs: install'];
  const login = hasCiLogins ? ['- run: govctl auth login --oidc'] : [];
  const token = (name: string): string[] =>
    hasCiLogins ? [] : ['  env:', `    GOVCTL_TOKEN: \${{ secrets.${name} }}`];
  const permissions = (...more: readonly string[]): string[] => [
    'permissions:',
    '  contents: read',
    ...(hasCiLogins ? ['  id-token: write'] : []),
    ...more.map((each) => `  ${each}`),
  ];
  return `${head(facts)}name: Governance
on:
  pull_request:
  push:
    branches: [${JSON.stringify(branch)}]
  schedule:
    - cron: '17 6 * * *'
  workflow_dispatch:

permissions:
  contents: read

env:
  GOVCTL_BASE_URL: \${{ vars.GOVCTL_BASE_URL }}

# Never run two applies at once, and never cancel a running apply.
concurrency:
  group: governance-\${{ github.event_name }}-\${{ github.ref }}
  cancel-in-progress: \${{ github.event_name == 'pull_request' }}

jobs:
${job === undefined ? '' : indent(2, [...job, ''])}${indent(2, [
    'check:',
    ...indented(2, needs),
    "  if: github.event_name == 'pull_request' || github.event_name == 'push'",
    '  runs-on: ubuntu-latest',
    '  timeout-minutes: 10',
    '  permissions:',
    '    contents: read',
    '    security-events: write',
    '  steps:',
    ...indented(4, [
      ...steps,
      '- run: govctl fmt --check',
      '- run: govctl validate -o github',
      `- run: ${testCommand(isTested)} -o github`,
      '- name: Check templates',
      '  run: govctl check . -o github -o sarif=govctl.sarif',
      '- name: Show findings under Security',
      '  # Private repositories need code scanning. If yours has it, set the variable GOVCTL_CODE_SCANNING to true.',
      '  if: >-',
      "    ${{ !cancelled() && hashFiles('govctl.sarif') != ''",
      "    && (github.event.repository.visibility == 'public' || vars.GOVCTL_CODE_SCANNING == 'true')",
      `    && (github.event_name == 'push' || (${isOwn})) }}`,
      `  uses: ${actions.uploadSarif}`,
      '  with:',
      '    sarif_file: govctl.sarif',
      '    category: govctl',
    ]),
    '',
    'plan:',
    '  needs: check',
    `  # Pull requests from forks and from Dependabot get no ${hasCiLogins ? 'ID token' : 'secrets'}.`,
    `  if: github.event_name == 'pull_request' && ${isOwn}`,
    '  runs-on: ubuntu-latest',
    '  timeout-minutes: 10',
    ...indented(2, permissions('pull-requests: write')),
    '  steps:',
    ...indented(4, [
      ...steps,
      ...login,
      '- name: Plan',
      '  run: govctl plan -o table -o markdown=plan.md',
      ...token('GOVCTL_READ_TOKEN'),
      ...summary('plan.md'),
      '- name: Comment',
      '  # Reviewers should see a refused plan, too.',
      "  if: ${{ !cancelled() && hashFiles('plan.md') != '' }}",
      '  run: gh pr comment "$NUMBER" --body-file plan.md --edit-last --create-if-none',
      '  env:',
      '    GH_TOKEN: ${{ github.token }}',
      '    NUMBER: ${{ github.event.number }}',
    ]),
    '',
    'apply:',
    '  needs: check',
    "  if: github.event_name == 'push'",
    '  runs-on: ubuntu-latest',
    '  timeout-minutes: 30',
    '  # The environment has its own protection rules and secrets: required reviewers, allowed branches.',
    '  environment: governance',
    ...indented(2, permissions()),
    '  steps:',
    ...indented(4, [
      ...steps,
      ...login,
      '- id: plan',
      '  run: govctl plan --out plan.json -o table -o markdown=plan.md',
      ...token('GOVCTL_TOKEN'),
      ...summary('plan.md'),
      "- if: steps.plan.outputs.changes == 'true'",
      '  run: govctl apply plan.json --auto-approve -o table -o markdown=apply.md',
      ...token('GOVCTL_TOKEN'),
      ...summary('apply.md'),
    ]),
    '',
    'drift:',
    ...indented(2, needs),
    "  if: github.event_name == 'schedule' || github.event_name == 'workflow_dispatch'",
    '  runs-on: ubuntu-latest',
    '  timeout-minutes: 10',
    ...indented(2, permissions()),
    '  steps:',
    ...indented(4, [
      ...steps,
      ...login,
      '- run: govctl drift --fail-missing -o github -o markdown=drift.md',
      ...token('GOVCTL_READ_TOKEN'),
      ...summary('drift.md'),
    ]),
  ])}`;
}

const indented = (columns: number, lines: readonly string[]): string[] =>
  lines.map((line) => (line === '' ? line : `${' '.repeat(columns)}${line}`));

function head({ branch, hasCiLogins, repository }: WorkflowFacts): string {
  const commands = trustCommands('github', repository, branch);
  return `# Checks pull requests and shows their plan, applies commits to ${branch}, and reports drift each day.
# Policies whose file was removed stay live. To delete them, add --prune to both \`govctl plan\` and \`govctl apply\`.
#
# Set in the repository settings, under "Secrets and variables" > "Actions":
#   variable GOVCTL_BASE_URL    URL of the service
${
  hasCiLogins
    ? `# No secret is needed. An admin of the service runs once:
${commands.map((line) => `#   ${line}\n`).join('')}`
    : `#   secret GOVCTL_READ_TOKEN    API key with the governance:read scope
# and in the environment "governance", which only ${branch} should be allowed to use:
#   secret GOVCTL_TOKEN         API key with the governance:read and compliance:write scopes
`
}
`;
}

/**
 * How jobs get govctl. No script of a dependency runs in a job that has secrets or an ID token.
 * @returns a job that the others need, and the first steps of these
 */
function installation({ installFrom }: WorkflowFacts): {
  readonly job: readonly string[] | undefined;
  readonly steps: readonly string[];
} {
  const begin = [
    `- uses: ${actions.checkout}`,
    '  with:',
    '    persist-credentials: false',
    `- uses: ${actions.setupNode}`,
    '  with:',
    '    node-version: 20',
  ];
  if (installFrom?.kind === 'archive') {
    const { path } = installFrom;
    return {
      job: undefined,
      steps: [
        ...begin,
        `- uses: ${actions.cache}`,
        '  with:',
        '    path: ~/.npm',
        `    key: govctl-\${{ runner.os }}-\${{ hashFiles('${path}') }}`,
        `- run: npm install --global --ignore-scripts ./${path}`,
      ],
    };
  }
  return {
    job: [
      'install:',
      '  runs-on: ubuntu-latest',
      '  timeout-minutes: 10',
      '  steps:',
      ...indented(4, installFrom === undefined ? failing : building(installFrom)),
    ],
    steps: [
      ...begin,
      `- uses: ${actions.downloadArtifact}`,
      '  with:',
      '    name: govctl',
      '    path: ${{ runner.temp }}/govctl',
      '- run: npm install --global --ignore-scripts "$RUNNER_TEMP"/govctl/*.tgz',
    ],
  };
}

const failing = [
  '# SOURCE is a packed archive in this repository, or a git URL with a tag or commit: https://HOST/PATH#TAG',
  '- run: |',
  `    echo "::error::${notInstalled('github')}"`,
  '    exit 1',
];

/** The key is the ref: a tag or commit always builds the same. */
const building = (source: Parameters<typeof packFromGit>[0]): string[] => [
  `- uses: ${actions.setupNode}`,
  '  with:',
  '    node-version: 20',
  `- uses: ${actions.cache}`,
  '  id: cache',
  '  with:',
  '    path: govctl-*.tgz',
  `    key: govctl-${source.ref}`,
  "- if: steps.cache.outputs.cache-hit != 'true'",
  '  run: |',
  ...packFromGit(source).map((line) => `    ${line}`),
  `- uses: ${actions.uploadArtifact}`,
  '  with:',
  '    name: govctl',
  '    path: govctl-*.tgz',
  '    if-no-files-found: error',
];
