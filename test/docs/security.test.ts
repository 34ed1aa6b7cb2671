import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/built-cli.ts';

const page = readFileSync(path.join(projectRoot, 'docs/security.md'), 'utf8');

/** Rows of the tables of promises: what is promised, and the tests that hold it. */
const promises = page
  .split('\n\n')
  .filter((table) => table.startsWith('| promised | test |\n'))
  .flatMap((table) => table.split('\n').slice(2))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

describe('docs/security.md', () => {
  it('promises something against each attacker it names', () => {
    const sections = page.split(/^## /m).filter((section) => /^(An?|Another) /.test(section));
    expect(sections.length).toBeGreaterThanOrEqual(7);
    for (const section of sections) expect(section).toContain('\n| promised | test |\n');
  });

  it.each(promises)('%s: names the tests that hold it', (_, tests = '') => {
    const files = tests.split(', ').map((one) => /^`(test\/[\w./-]+\.test\.ts)`$/.exec(one)?.[1]);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect([tests, existsSync(path.join(projectRoot, file ?? 'named badly'))]).toEqual([
        tests,
        true,
      ]);
    }
  });
});
