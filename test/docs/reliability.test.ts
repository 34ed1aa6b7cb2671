import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/built-cli.ts';

const page = readFileSync(path.join(projectRoot, 'docs/reliability.md'), 'utf8');
const head = '| promise | fault | test | tries | result |\n|---|---|---|---|---|\n';

const promises = page
  .split('\n\n')
  .filter((part) => part.startsWith(head))
  .flatMap((table) => table.trimEnd().split('\n').slice(2))
  .map((line) => line.replace(/^\| | \|$/g, '').split(' | '));

describe('docs/reliability.md', () => {
  it('has a table of promises under each fault that it names', () => {
    const sections = page.split(/^## /m).slice(1);
    expect(sections.length).toBeGreaterThanOrEqual(4);
    for (const section of sections) expect(section).toContain(`\n${head}`);
  });

  it.each(promises)(
    '%s: says what was done, how often, what happened, and names the tests',
    (...cells) => {
      // prettier-ignore
      expect(cells).toHaveLength(5);
      for (const cell of cells) expect(cell.trim()).not.toBe('');
      for (const one of (cells[2] ?? '').split(', ')) {
        const file = /^`(test\/[\w./-]+\.test\.ts)`$/.exec(one)?.[1] ?? `named badly: ${one}`;
        expect([one, existsSync(path.join(projectRoot, file))]).toEqual([one, true]);
      }
    },
  );
});
