import { describe, expect, it } from 'vitest';
import { wrapWords } from '../../../src/cli/terminal/wrap-words.ts';
import { runCommandLine } from '../../support/fake-world.ts';

describe('talk on a terminal', () => {
  it('breaks between words, keeps the indent, and leaves short lines and long words alone', () => {
    expect(wrapWords('error: one two three\n  → four five six\nshort', 14)).toBe(
      'error: one two\n  three\n  → four five\n    six\nshort',
    );
    expect(wrapWords('see https://governance.example.com/a now', 12)).toBe(
      'see\n  https://governance.example.com/a\n  now',
    );
  });

  it('leaves out the spaces at which it breaks', () => {
    expect(wrapWords('  path/of/a/file  resource  Type', 18)).toBe(
      '  path/of/a/file\n    resource  Type',
    );
    expect(wrapWords('path/of/a/file  resource', 15)).toBe('path/of/a/file\n  resource');
  });

  it('loses no character, and breaks neither at a no-break space nor at a tab', () => {
    expect(wrapWords('one `--flag\u00a0NAME=VALUE` two\tthree', 12)).toBe(
      'one\n  `--flag\u00a0NAME=VALUE`\n  two\tthree',
    );
  });

  it('takes a line that ends in very many spaces', () => {
    expect(wrapWords(`one two${' '.repeat(200_000)}`, 5)).toBe('one\n  two');
  });

  it('counts what is seen, not colour codes', () => {
    expect(wrapWords('\u001b[31merror:\u001b[39m one two', 14)).toBe(
      '\u001b[31merror:\u001b[39m one two',
    );
  });

  it('is not broken in a pipe', async () => {
    const argv = ['auth', 'switch', 'x'.repeat(90)];
    const env = { GOVCTL_CONFIG_DIR: '/nowhere', NO_COLOR: '1' };
    const lines = async (tty: boolean): Promise<number> =>
      (await runCommandLine(argv, { tty, env, columns: 60 })).stderr.split('\n').length;
    expect(await lines(true)).toBeGreaterThan(await lines(false));
  });
});
