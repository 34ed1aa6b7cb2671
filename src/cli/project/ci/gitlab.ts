import { trustCommands } from './trust-commands.ts';
import { indent, notInstalled, packFromGit, testCommand } from './workflow-facts.ts';
import type { WorkflowFacts } from './workflow-facts.ts';

export const gitlabFile = '.gitlab-ci.yml';

/**
 * The pipeline of a repo of policies on GitLab, as YAML. GitLab has no variables per step: tokens are variables of an
 * environment, so that only the jobs of that environment have them.
 */
export function gitlabWorkflow(facts: WorkflowFacts): string {
  const { isTested, hasCiLogins, installFrom } = facts;
  const needs = installFrom?.kind === 'archive' ? '' : indent(2, ['needs: [install]']);
  const login = hasCiLogins ? ['govctl auth login --oidc'] : [];
  const archive = installFrom?.kind === 'archive' ? `./${installFrom.path}` : './govctl-*.tgz';
  const install = `npm install --global --ignore-scripts ${archive}`;
  return `${head(facts)}default:
  image: node:20
  timeout: 10 minutes
  interruptible: true

variables:
  npm_config_cache: $CI_PROJECT_DIR/.npm

workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_PIPELINE_SOURCE == "schedule"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH

${installJob(facts)}# Dependencies run no install scripts in jobs that have tokens.
.govctl:
${needs}  cache:
    key: govctl-npm
    paths: [.npm/]
  before_script:
    - ${install}
${indent(
  4,
  login.map((line) => `- ${line}`),
)}
check:
${needs}  cache:
    key: govctl-npm
    paths: [.npm/]
  rules:
    - if: $CI_PIPELINE_SOURCE != "schedule"
  script:
    - ${install}
    - govctl fmt --check
    - govctl validate
    - ${testCommand(isTested)} -o table -o junit=test.xml
    - govctl check . -o table -o junit=check.xml -o sarif=govctl.sarif
  artifacts:
    when: always
    paths: [govctl.sarif]
    reports:
      junit: [test.xml, check.xml]

plan:
  extends: .govctl
  rules:
    # Merge requests from forks get no tokens.
    - if: $CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID
  environment:
    name: governance-read
    action: verify
${idToken(hasCiLogins)}  script:
    - govctl plan -o table -o markdown=plan.md
  artifacts:
    when: always
    paths: [plan.md]
    expose_as: Governance plan

apply:
  extends: .govctl
  needs: ${installFrom?.kind === 'archive' ? '[check]' : '[install, check]'}
  interruptible: false
  timeout: 30 minutes
  # Never run two applies at once.
  resource_group: governance
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE != "schedule"
  environment:
    name: governance
${idToken(hasCiLogins)}  script:
    - govctl plan --out plan.json
    - govctl apply plan.json --auto-approve

drift:
  extends: .govctl
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
  environment:
    name: governance-read
    action: verify
${idToken(hasCiLogins)}  script:
    - govctl drift --fail-missing
`;
}

const idToken = (hasCiLogins: boolean): string =>
  hasCiLogins ? indent(2, ['id_tokens:', '  GOVCTL_ID_TOKEN:', '    aud: $GOVCTL_BASE_URL']) : '';

function head({ hasCiLogins, repository, branch }: WorkflowFacts): string {
  return `# Checks merge requests and shows their plan, applies commits to the default branch, and reports drift on a schedule.
# Policies whose file was removed stay live. To delete them, add --prune to both \`govctl plan\` and \`govctl apply\`.
#
# Set in the project settings, under "CI/CD" > "Variables":
#   GOVCTL_BASE_URL    URL of the service
${
  hasCiLogins
    ? `# No token is needed. An admin of the service runs once:
${trustCommands('gitlab', repository, branch)
  .map((line) => `#   ${line}\n`)
  .join('')}`
    : `#   GOVCTL_TOKEN       masked; environment scope "governance-read": API key with the governance:read scope
#   GOVCTL_TOKEN       masked and protected; environment scope "governance": API key with the governance:read and compliance:write scopes
`
}# To report drift each day, create a pipeline schedule under "Build" > "Pipeline schedules".

`;
}

function installJob({ installFrom }: WorkflowFacts): string {
  if (installFrom?.kind === 'archive') return '';
  const script =
    installFrom === undefined
      ? [
          '# SOURCE is a packed archive in this repository, or a git URL with a tag or commit: https://HOST/PATH#TAG',
          `- ${JSON.stringify(`echo '${notInstalled('gitlab')}'`)}`,
          '- exit 1',
        ]
      : ['- |', ...['[ -z "$(ls govctl-*.tgz 2>/dev/null)" ] || exit 0', ...packFromGit(installFrom)].map((line) => `  ${line}`)]; // prettier-ignore
  const cache =
    installFrom === undefined
      ? []
      : ['cache:', `  key: ${JSON.stringify(`govctl-${installFrom.ref.replaceAll('/', '-')}`)}`, '  paths: [govctl-*.tgz]']; // prettier-ignore
  return `install:
${indent(2, [...cache, 'script:', ...script.map((line) => `  ${line}`), 'artifacts:', '  paths: [govctl-*.tgz]', '  expire_in: 1 day'])}
`;
}
