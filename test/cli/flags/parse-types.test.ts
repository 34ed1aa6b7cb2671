import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';

const run = (argv: string) =>
  runCommandLine(argv.split(' '), {
    env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: 'token', NO_COLOR: '1' },
    fetch: () => Promise.reject(new Error('nothing to ask')),
  });

describe('a pattern of resource types', () => {
  it.each([
    'violation list',
    'violation summary',
    'violation resolve --reason x --dry-run',
    'evaluation list',
    'resource list',
    'remediate plan',
  ])('is refused by %s, which names --provider', async (command) => {
    const { exitCode, stderr } = await run(`${command} --type Azure::*`);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('--type Azure::*: must be a resource type, not a pattern');
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'Use a type such as AWS::S3::Bucket, or --provider azure for all types of a provider.',
    );
  });

  it('is refused by scan run, which has no --provider', async () => {
    const { exitCode, stderr } = await run('scan run --type AWS::*');
    expect(exitCode).toBe(3);
    expect(stderr).toContain('Use a type such as AWS::S3::Bucket.');
  });
});
