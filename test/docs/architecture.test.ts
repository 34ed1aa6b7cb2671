import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/built-cli.ts';

const pages = ['docs/architecture.md', 'CONTRIBUTING.md'];

/** `src/a/{b,c}.ts` names two files. */
function expand(name: string): string[] {
  const [, before, list, after] = /^(.*?)\{([^}]*)\}(.*)$/.exec(name) ?? [];
  if (before === undefined || list === undefined) return [name];
  return list.split(',').flatMap((one) => expand(`${before}${one}${after ?? ''}`));
}

/** Files and folders of the project that a page names: paths in backticks and in blocks; `<noun>` stands for any. */
function namedPaths(page: string): string[] {
  const text = readFileSync(path.join(projectRoot, page), 'utf8');
  const found =
    text.match(/(?<![\w/.-])(?:src|test|bench|docs|bin|\.config|\.ci)\/[\w./{},<>-]*/g) ?? [];
  return [...new Set(found.flatMap(expand))]
    .map((name) => name.replace(/[.,]$/, ''))
    .filter((name) => !name.includes('<') && !name.includes('NNNN'));
}

describe.each(pages)('%s', (page) => {
  const names = namedPaths(page);

  it('names files', () => {
    expect(names.length).toBeGreaterThan(5);
  });

  it.each(names)('names %s, which exists', (name) => {
    expect(existsSync(path.join(projectRoot, name))).toBe(true);
  });
});

describe('docs/architecture.md', () => {
  it('describes every folder and what it may import', () => {
    const text = readFileSync(path.join(projectRoot, 'docs/architecture.md'), 'utf8');
    const folders = readdirSync(path.join(projectRoot, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const described = [...text.matchAll(/^\| `(\w+)\/` \|/gm)].map(([, name]) => name);
    expect(described.sort()).toEqual(folders.sort());
  });
});
