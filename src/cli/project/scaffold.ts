import { defaultPolicySet } from '../../project/policy-sets.ts';
import type { PolicySet } from '../../project/policy-sets.ts';
import type { Repository } from './repository.ts';
import { jsonSchemaOf, schemaFiles } from '../../project/write/json-schemas.ts';

/** A file of a new repo: its path below the repo's folder, and its text. */
export interface ScaffoldFile {
  readonly path: string;
  readonly text: string;
}

/** What a repo is laid out for. */
export interface ScaffoldFacts {
  readonly project: string;
  /** Of govctl: the workflow installs the one it was written by. */
  readonly version: string;
  /** Where the policies are that the folder has already; empty: it gets a first one. */
  readonly policyPaths: readonly string[];
  /** Files of the policy library that are asked for, below the folder `policies`. */
  readonly library: readonly ScaffoldFile[];
  /** The policies that `check` is to run. */
  readonly set: PolicySet | undefined;
  /** CI logs in by its ID token; else by a stored secret. */
  readonly hasCiLogins: boolean;
  /** The one that CI runs in, where it is known. */
  readonly repository: Repository | undefined;
}

/** What `govctl init` writes: a repo that validates, is formatted, and has a CI that plans and applies it. */
export function scaffold({
  project,
  version,
  policyPaths,
  library,
  set = defaultPolicySet,
  hasCiLogins,
  repository,
}: ScaffoldFacts): readonly ScaffoldFile[] {
  const isNew = policyPaths.length === 0;
  const isSample = isNew && library.length === 0;
  const hasOwn = policyPaths.includes('.') || (!isNew && library.length === 0);
  const paths = hasOwn ? policyPaths : [...new Set([...policyPaths, 'policies'])];
  return [
    { path: 'govctl.yaml', text: configFile(project, paths, set) },
    ...library.map(({ path, text }) => ({ path: `policies/${path}`, text })),
    ...(isSample
      ? [
          { path: 'policies/storage/s3-versioning.yaml', text: policyFile },
          { path: 'policies/storage/s3-versioning.test.yaml', text: testFile },
        ]
      : []),
    {
      path: '.github/workflows/governance.yml',
      text: workflowFile(version, { isTested: isNew, hasCiLogins, repository }),
    },
    ...Object.entries(schemaFiles).map(([name, file]) => ({
      path: `schemas/${file}`,
      text: `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`,
    })),
    { path: '.vscode/settings.json', text: editorFile },
    { path: '.govctlignore', text: ignoreFile },
  ];
}

/** Lines that .gitignore has to have. */
export const gitIgnored = ['.govctl/', 'plan.json', '*.plan.json'] as const;

const configFile = (
  project: string,
  paths: readonly string[],
  set: PolicySet,
): string => `# yaml-language-server: $schema=schemas/${schemaFiles.govctl}
# Owner of the applied objects. Use a unique name for each repo that applies to the same service.
project: ${project}

# URL of the service, for logged-in users. CI sets GOVCTL_BASE_URL. Never store secrets here.
# base_url: https://governance.example.com

paths:
${paths.map((each) => `  - ${JSON.stringify(each).replace(/^"([\w./-]+)"$/, '$1')}\n`).join('')}
# Policies that \`govctl check\` runs: baseline, or strict, which includes baseline. Policies without a tag \`set:...\` always run.
set: ${set}

guards:
  # Maximum percentage of the owned policies that one apply may delete.
  max_delete: 30
`;

const policyFile = `# yaml-language-server: $schema=../../schemas/${schemaFiles.policies}
key: s3-versioning
name: S3 buckets keep versions
description: Objects that are overwritten or deleted by mistake can be restored.
resource_type: AWS::S3::Bucket
severity: HIGH
rules:
  - condition: resource.versioning.enabled == false
    effect: DENY
    message: Turn on versioning, so that overwritten and deleted objects can be restored.
compliance_frameworks:
  - SOC2:A1.2
  - ISO27001:A.8.13
tags:
  - storage
`;

const testFile = `# yaml-language-server: $schema=../../schemas/${schemaFiles.policies}
kind: PolicyTest
policy: s3-versioning.yaml
cases:
  - name: a bucket without versioning fails
    input:
      resources:
        - id: arn:aws:s3:::plain
          type: AWS::S3::Bucket
          versioning:
            enabled: false
    expect:
      - resource: arn:aws:s3:::plain
        result: fail
        message: Turn on versioning, so that overwritten and deleted objects can be restored.
  - name: a bucket with versioning passes
    input:
      resources:
        - id: arn:aws:s3:::sealed
          type: AWS::S3::Bucket
          versioning:
            enabled: true
    expect:
      - resource: arn:aws:s3:::sealed
        result: pass
`;

interface WorkflowFacts extends Pick<ScaffoldFacts, 'hasCiLogins' | 'repository'> {
  /** The policies come with tests; whoever brings their own may have none yet. */
  readonly isTested: boolean;
}

/**
 * Commands by which an admin lets jobs log in: to apply, and on GitHub to plan.
 * @param repository undefined: OWNER/NAME stands for it
 */
export function trustCommands(repository: Repository | undefined): readonly string[] {
  const { provider = 'github', name = 'OWNER/NAME' } = repository ?? {};
  const create = `govctl trust create ${name}`;
  const scopes = '--scope governance:read,compliance:write';
  return provider === 'gitlab'
    ? [`${create} --provider gitlab --ref refs/heads/main ${scopes}`]
    : [
        `${create} --ref refs/heads/main ${scopes}`,
        `${create} --ref 'refs/pull/*' --event pull_request --scope governance:read`,
      ];
}

const workflowFile = (
  version: string,
  { isTested, hasCiLogins, repository }: WorkflowFacts,
): string => `# Checks and plans pull requests; applies merges to main.
# Policies whose file was removed stay live. To delete them, add --prune to both \`govctl plan\` and \`govctl apply\`.
${hasCiLogins ? withoutSecret(repository) : withSecret}name: Governance
on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read

# Never run two applies at once, and never cancel a running apply.
concurrency:
  group: governance-\${{ github.ref }}
  cancel-in-progress: \${{ github.event_name == 'pull_request' }}

jobs:
  validate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 20
      - run: npm install --global govctl@${version}
      - run: govctl fmt --check
      - run: govctl validate -o github
      - run: govctl test${isTested ? ' --require-tests --require-coverage' : ''} -o github

  plan:
    needs: validate
    # Pull requests from forks ${hasCiLogins ? 'get no ID token' : 'cannot read secrets'}.
    if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
${loginOf(hasCiLogins)}    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 20
      - run: npm install --global govctl@${version}
${hasCiLogins ? loginStep : ''}      - run: govctl plan -o markdown >> "$GITHUB_STEP_SUMMARY"

  apply:
    needs: validate
    if: github.event_name == 'push'
    runs-on: ubuntu-latest
${loginOf(hasCiLogins)}    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 20
      - run: npm install --global govctl@${version}
${hasCiLogins ? loginStep : ''}      - run: govctl apply --auto-approve -o markdown >> "$GITHUB_STEP_SUMMARY"
`;

const withSecret = `# Set the variable GOVCTL_BASE_URL and the secret GOVCTL_TOKEN in the repository's settings.
`;

const withoutSecret = (
  repository: Repository | undefined,
): string => `# Set the variable GOVCTL_BASE_URL in the repository's settings. No secret is needed. An admin of the service runs once:
#   ${trustCommands(repository).join('\n#   ')}
`;

const loginOf = (hasCiLogins: boolean): string =>
  hasCiLogins
    ? `    permissions:
      contents: read
      id-token: write
    env:
      GOVCTL_BASE_URL: \${{ vars.GOVCTL_BASE_URL }}
`
    : `    env:
      GOVCTL_BASE_URL: \${{ vars.GOVCTL_BASE_URL }}
      GOVCTL_TOKEN: \${{ secrets.GOVCTL_TOKEN }}
`;

const loginStep = '      - run: govctl auth login --oidc\n';

const editorFile = `${JSON.stringify(
  {
    'yaml.schemas': {
      [`./schemas/${schemaFiles.policies}`]: 'policies/**/*.{yaml,yml}',
      [`./schemas/${schemaFiles.govctl}`]: 'govctl.yaml',
    },
  },
  null,
  2,
)}\n`;

const ignoreFile = `# YAML files under the paths in govctl.yaml that are not policies. Uses .gitignore syntax.
# templates/
`;
