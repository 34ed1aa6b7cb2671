import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { cleanEnvironment, projectRoot } from '../support/built-cli.ts';
import { makeRepo } from '../support/temp-repo.ts';

const policy = `name: Buckets are encrypted
resource_type: AWS::S3::Bucket
rules:
  - condition: resource.encryption.enabled == false
    effect: DENY
`;

it('a reader that goes away, as head does, does not make a failed check a passed one', async () => {
  const cwd = makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policy,
    'a.json': '{"id":"a","type":"AWS::S3::Bucket","encryption":{"enabled":false}}',
  });
  const binary = path.join(projectRoot, 'bin', 'govctl.js');
  const child = spawn(process.execPath, [binary, 'check', 'a.json'], {
    cwd,
    env: cleanEnvironment(),
  });
  child.stdout.destroy();
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(2);
});
