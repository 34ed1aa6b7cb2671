import { describe, expect, it } from 'vitest';
import { ellipsisFor, withSigns } from '../../../src/cli/terminal/signs.ts';
import { formatTable } from '../../../src/cli/terminal/table.ts';
import { createStyle } from '../../../src/cli/terminal/terminal.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import { listStrings } from '../../words/strings.js';

const ascii = { LANG: 'C' };
const notAscii = /[^\p{ASCII}]/gu;

/** What is written of a text, by a terminal with these variables. */
async function written(text: string | Uint8Array, env: NodeJS.ProcessEnv, tty = true) {
  const world = createFakeWorld({ tty });
  await withSigns(world.terminal, env).stdout.write(text);
  return world.written.stdout;
}

describe('signs on a terminal without Unicode', () => {
  it.each([
    { LANG: 'C' },
    { LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' },
    { TERM: 'linux' },
    { TERM: 'dumb' },
  ])('are ASCII with %j', async (env) => {
    expect(await written('✓ live → git · 2 × …', env)).toBe('+ live -> git - 2 x ...');
  });

  it.each([{}, { LANG: 'en_US.UTF-8' }, { LC_CTYPE: 'C.utf8', LANG: 'C' }])(
    'stay as they are with %j',
    async (env) => {
      expect(await written('✓ → …', env)).toBe('✓ → …');
    },
  );

  it('stay in a pipe, and in data', async () => {
    expect(await written('→', ascii, false)).toBe('→');
    expect(await written(Buffer.from('→'), ascii)).toBe('→');
    const { stdout } = await runCommandLine(['schema', 'Policy'], { tty: true, env: ascii });
    expect(stdout).toContain('"$schema"');
  });

  it('are known, wherever the program says something', async () => {
    // Reports in Markdown go into pull requests; charts have letters of their own.
    const apart = ['src/cli/formats/markdown.ts', 'src/cli/terminal/'];
    const texts = listStrings().filter(
      ({ file }) =>
        /^src\/(cli|client|project)\//.test(file) && !apart.some((part) => file.startsWith(part)),
    );
    const shown = await Promise.all(
      texts.map(async ({ file, line, text }) => ({
        at: `${file}:${line}`,
        is: await written(text, ascii),
      })),
    );
    expect(shown.filter(({ is }) => is.match(notAscii))).toEqual([]);
  });

  it('cut table cells with one character, so that columns stay aligned', () => {
    const columns = [
      { title: 'NAME', cell: ({ name }: { name: string }) => name, shrinks: 'end' as const },
      { title: 'ID', cell: ({ id }: { id: string }) => id },
    ];
    const rows = [
      { name: 'a name that is cut', id: '1' },
      { name: 'short', id: '2' },
    ];
    const table = (env: NodeJS.ProcessEnv): string =>
      formatTable(rows, columns, createStyle(false, ellipsisFor(true, env)), 16);
    expect(table(ascii)).toBe('NAME          ID\na name that~  1\nshort         2\n');
    expect(table({})).toBe(table(ascii).replace('~', '…'));
  });
});
