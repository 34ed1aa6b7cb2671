import { expect, it } from 'vitest';
import { githubWorkflow } from '../../src/cli/project/ci/github.ts';
import { gitlabWorkflow } from '../../src/cli/project/ci/gitlab.ts';
import type { WorkflowFacts } from '../../src/cli/project/ci/workflow-facts.ts';

const facts: WorkflowFacts = {
  installFrom: { kind: 'git', url: 'https://git.example.com/acme/govctl', ref: 'v0.1.0' },
  branch: 'main',
  isTested: true,
  hasCiLogins: false,
  repository: undefined,
};

it.each([
  ['github', githubWorkflow(facts)],
  ['gitlab', gitlabWorkflow(facts)],
])('the workflow for %s in the docs is the one that init writes', async (name, text) => {
  await expect(text).toMatchFileSnapshot(`../../docs/reference/ci/${name}.yml`);
});
