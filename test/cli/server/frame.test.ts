import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';

describe('the command line itself', () => {
  it('shows help when nothing is typed', async () => {
    const outcome = await runCommandLine([]);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    expect(outcome.stdout).toContain('Usage: govctl');
  });

  it.each([[['--help']], [['help']], [['help', 'policy']], [['policy', 'list', '--help']]])(
    'shows help for %j on stdout',
    async (argv) => {
      const outcome = await runCommandLine(argv);
      expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
      expect(outcome.stdout).toContain('Usage: govctl');
      expect(outcome.stdout).toContain('--base-url');
    },
  );

  it.each([
    [['polcy'], 'Did you mean policy?'],
    [['policy', 'lst'], 'Did you mean list?'],
    [['policy', 'list', '--otput', 'json'], 'Did you mean --output?'],
    [['policy', 'get'], "missing required argument 'policy'"],
    [['policy', 'list', '-o', 'jsn'], 'Did you mean json?'],
    [['policy', 'list', '-o', 'json='], 'the file name is missing'],
    [['--base-url'], 'argument missing'],
  ])('answers %j with what to do and exit code 3', async (argv, why) => {
    const outcome = await runCommandLine(argv);
    expect(outcome).toMatchObject({ exitCode: 3, stdout: '' });
    expect(outcome.stderr).toContain(why);
  });

  it('shows a group’s commands when none of them is typed', async () => {
    const outcome = await runCommandLine(['auth']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('login');
  });

  it('takes global options before, between and after commands', async () => {
    for (const argv of [
      ['-o', 'json', 'api', '--list'],
      ['api', '-o', 'json', '--list'],
      ['api', '--list', '-o', 'json'],
      ['api', '--list', '--output=json'],
    ]) {
      const outcome = await runCommandLine(argv);
      expect(JSON.parse(outcome.stdout)).toMatchObject({ format_version: 1 });
    }
  });
});
