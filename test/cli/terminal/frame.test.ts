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
    [['policy', 'list', '-o', 'json='], 'missing file name'],
    [['--base-url'], 'argument missing'],
  ])('answers %j with what to do and exit code 3', async (argv, why) => {
    const outcome = await runCommandLine(argv);
    expect(outcome).toMatchObject({ exitCode: 3, stdout: '' });
    expect(outcome.stderr).toContain(why);
  });

  it.each([
    [['help', 'nonsense']],
    [['help', 'policy', 'nonsense']],
    [['policy', 'help', 'nonsense']],
    [['policy', 'nonsense', '--help']],
    [['nonsense', '-h']],
    [['policy', 'nonsense']],
  ])('exits with 3 for the unknown command of %j', async (argv) => {
    const outcome = await runCommandLine(argv);
    expect(outcome).toMatchObject({ exitCode: 3, stdout: '' });
    expect(outcome.stderr).toContain("unknown command 'nonsense'");
  });

  it('shows the help of every command there is', async () => {
    for (const argv of [
      ['help', 'report', 'link'],
      ['check', 'x.json', '--help'],
    ]) {
      const outcome = await runCommandLine(argv);
      expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
      expect(outcome.stdout).toContain('Usage: govctl');
    }
  });

  it('shows a group’s commands when none of them is typed', async () => {
    const outcome = await runCommandLine(['auth']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('login');
  });

  it('tells its version, as an option and as a command', async () => {
    for (const word of ['version', '--version', '-V']) {
      expect(await runCommandLine([word])).toEqual({
        exitCode: 0,
        stdout: '0.0.0-test\n',
        stderr: '',
      });
    }
  });

  it.each([
    ['drift', 'table, json, yaml, ndjson, markdown, github, sarif, junit'],
    ['plan', 'table, json, yaml, ndjson, markdown, github'],
    ['policy list', 'table, json, yaml, ndjson'],
  ])(
    'lists in the help of %s the formats it takes, and refuses others by the same list',
    async (command, formats) => {
      const argv = command.split(' ');
      const help = await runCommandLine([...argv, '--help'], { columns: 200 });
      expect(help.stdout).toMatch(
        new RegExp(`--output <format> +output format: ${formats}; FORMAT=FILE`),
      );
      const refused = await runCommandLine([...argv, '-o', 'x']);
      expect(refused.stderr).toContain(`Use ${formats};`);
    },
  );

  it('lists no formats where no data is printed', async () => {
    expect((await runCommandLine(['completion', '--help'])).stdout).not.toContain('--output');
    expect(await runCommandLine(['auth', 'token', '-o', 'json'])).toMatchObject({ exitCode: 3 });
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
