import { describe, expect, it } from 'vitest';
import type { LaunchServer } from '../../../src/cli/server/launcher.ts';
import type { Outcome } from '../../support/fake-world.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';

/** What the command gets to see of its words: they decide its exit code. */
const ends = ['-e', 'process.exit(process.argv.length + 40)'];

async function exec(...argv: string[]): Promise<Outcome & { launched: number }> {
  let launched = 0;
  const launchServer: LaunchServer = async () => {
    launched++;
    return {
      baseUrl: 'http://127.0.0.1:8787',
      notices: [],
      fetch: () => Promise.reject(new Error('not asked')),
      reload: () => Promise.resolve(),
      stop: () => Promise.resolve({ cutOff: [] }),
    };
  };
  const outcome = await runCommandLine(argv, createFakeWorld({ env: process.env, launchServer }));
  return { ...outcome, launched };
}
const node = process.execPath;

describe('govctl server exec', () => {
  it.each([
    [['server', 'exec', node, ...ends, 'x', '--version'], 43],
    [['server', 'exec', '--', node, ...ends, 'x', '--help'], 43],
    [['server', 'exec', node, ...ends, '--', '-o', 'json'], 43],
    [['server', 'exec', '-q', '--data-dir', 'd', node, ...ends, '--', '--data-dir', 'e'], 43],
    [['server', '--data-dir=d', 'exec', node, ...ends, '--', '--port=1'], 42],
    [['-q', 'server', 'exec', node, ...ends, '--', '-v', '--', '-y'], 44],
  ])('leaves all from the command on to it: %j', async (argv, exitCode) => {
    expect(await exec(...argv)).toMatchObject({ exitCode, stderr: '', launched: 1 });
  });

  it.each([
    [['server', 'exec', '--bogus', node, '--version'], "unknown option '--bogus'"],
    [['server', '--bogus', 'exec', node, '--version'], "unknown option '--bogus'"],
    [['server', 'exec', '--port', '1', node, '--version'], "unknown option '--port'"],
    [['server', 'exec', '--seed', 'nowhere', node], 'use `--seed -- nowhere`'],
    [['server', 'exec', '--restore', 'nowhere', node], '--restore nowhere could not be read'],
    [['server', 'exec', '--clock', 'never', node], '--clock never: must be a date or a time'],
    [['server', 'exec', '--new-secrets', node], '--new-secrets requires --restore'],
    [['server', 'exec', '--seed'], "missing required argument 'command'"],
  ])('starts nothing and ends with 3 for %j', async (argv, why) => {
    const outcome = await exec(...argv);
    expect(outcome).toMatchObject({ exitCode: 3, stdout: '', launched: 0 });
    expect(outcome.stderr).toContain(why);
  });

  it('offers no option of the server in the help of what asks one that runs', async () => {
    for (const words of [['clock', 'show'], ['requests'], ['exec']]) {
      const { stdout } = await runCommandLine(['server', ...words, '--help']);
      expect(stdout).toContain('--base-url');
      expect(stdout).not.toContain('--tls-cert');
    }
  });
});
