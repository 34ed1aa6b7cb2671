import { defaultPolicySet } from '../../project/policy-sets.ts';
import type { PolicySet } from '../../project/policy-sets.ts';
import { githubFile, githubWorkflow } from './ci/github.ts';
import { gitlabFile, gitlabWorkflow } from './ci/gitlab.ts';
import type { CiSystem, WorkflowFacts } from './ci/workflow-facts.ts';
import { makeKey } from '../../project/key.ts';
import { jsonSchemaOf, schemaFiles } from '../../project/write/json-schemas.ts';

/** A file of a new repo. */
export interface ScaffoldFile {
  /** Below the directory of the repo. */
  readonly path: string;
  readonly text: string;
  /** What becomes of an existing file, by its text; undefined: it is kept. */
  readonly rewrite?: (before: string) => string | undefined;
}

/** What a repo is laid out for. */
export interface ScaffoldFacts {
  readonly project: string;
  /** Where the policies are that the folder has already; empty: it gets a first one. */
  readonly policyPaths: readonly string[];
  /** Files of the policy library that are asked for, below the folder `policies`. */
  readonly library: readonly ScaffoldFile[];
  /** The policies that `check` is to run. */
  readonly set: PolicySet | undefined;
  /** Undefined: no CI. */
  readonly ci: CiSystem | undefined;
  readonly workflow: Omit<WorkflowFacts, 'isTested'>;
}

/** What `govctl init` writes: a repo that validates, is formatted, and has a CI that plans and applies it. */
export function scaffold({
  project,
  policyPaths,
  library,
  set = defaultPolicySet,
  ci,
  workflow,
}: ScaffoldFacts): readonly ScaffoldFile[] {
  const isNew = policyPaths.length === 0;
  const isSample = isNew && library.length === 0;
  const hasOwn = policyPaths.includes('.') || (!isNew && library.length === 0);
  const paths = hasOwn ? policyPaths : [...new Set([...policyPaths, 'policies'])];
  return [
    { path: 'govctl.yaml', text: configFile(project, paths, set) },
    ...library.map(({ path, text }) => ({
      path: `policies/${path}`,
      text: path.endsWith('.test.yaml') ? text : withPrefix(text, project),
    })),
    ...(isSample
      ? [
          { path: 'policies/storage/s3-versioning.yaml', text: withPrefix(policyFile, project) },
          { path: 'policies/storage/s3-versioning.test.yaml', text: testFile },
        ]
      : []),
    ...(ci === undefined ? [] : [workflowFile(ci, { ...workflow, isTested: isNew })]),
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
# Policies that \`govctl check\` runs: baseline, or strict, which includes baseline. Policies without a \`set:...\` tag always run.
set: ${set}

guards:
  # Maximum percentage of the owned policies that one apply may delete, from 10 policies.
  max_delete: 30
`;

/**
 * Policies with the project in their names, which are unique in a service: another repo may apply the same policies. Their keys
 * stay those of the names without it.
 */
const withPrefix = (text: string, project: string): string =>
  text.replace(
    /^(key: .*\n)?name: (.*)$/gm,
    (_, key: string | undefined, name: string) =>
      `${key ?? `key: ${makeKey(name)}\n`}name: ${project} - ${name}`,
  );

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

const workflows = {
  github: { path: githubFile, write: githubWorkflow },
  gitlab: { path: gitlabFile, write: gitlabWorkflow },
} as const;

/** The workflow. One that was written when the install source was not known yet is completed, unless it was edited. */
function workflowFile(ci: CiSystem, facts: WorkflowFacts): ScaffoldFile {
  const { path, write } = workflows[ci];
  const rewrite = (before: string): string | undefined => {
    if (facts.installFrom === undefined) return undefined;
    for (const isTested of [true, false]) {
      for (const hasCiLogins of [true, false]) {
        const undecided = { ...facts, isTested, hasCiLogins, installFrom: undefined };
        if (before === write(undecided)) return write({ ...facts, isTested });
      }
    }
    return undefined;
  };
  return { path, text: write(facts), rewrite };
}

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
