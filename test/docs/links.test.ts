import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/built-cli.ts';
import { anchorsOf, guides, linksOf, readGuide } from '../support/markdown.ts';

const pages = [...guides, 'CHANGELOG.md'];

/** Links of a page to files of the project, by path and anchor. */
const localLinks = (page: string) =>
  linksOf(readGuide(page))
    .filter(({ target }) => !/^[a-z]+:/i.test(target))
    .map(({ line, target }) => {
      const [file = '', anchor] = target.split('#');
      const at = `${page}:${line}: ${target}`;
      return { at, anchor, file: file === '' ? page : path.posix.join(path.posix.dirname(page), file) }; // prettier-ignore
    });

const isDirectory = (file: string): boolean =>
  statSync(path.join(projectRoot, file), { throwIfNoEntry: false })?.isDirectory() === true;

/** What is wrong with a link, if anything is. */
function problemOf({ file, anchor }: { file: string; anchor: string | undefined }): string | null {
  if (file.startsWith('..') || !existsSync(path.join(projectRoot, file))) return 'no such file';
  if (anchor === undefined) return null;
  if (!file.endsWith('.md')) return 'an anchor in a file that is not Markdown';
  return anchorsOf(readGuide(file)).has(anchor) ? null : 'no such heading';
}

describe('links of README and docs', () => {
  it('are found, in every notation', () => {
    const text = '[a](b.md#c) ![p](p.svg)\n<img src="q.png">\n\n[r]: s.md\n`[no](no.md)`\n```\n[no](no.md)\n```\n'; // prettier-ignore
    expect(linksOf(text).map(({ target }) => target)).toEqual(['b.md#c', 'p.svg', 'q.png', 's.md']);
  });

  it('name headings as GitHub does', () => {
    const text = '# A `b-c`: what’s new?\n\n## In *git*\n\n## In git\n\n```\n# not one\n```\n';
    expect([...anchorsOf(text)]).toEqual(['a-b-c-whats-new', 'in-git', 'in-git-1']);
  });

  it.each(pages)('%s: lead to files and headings that exist', (page) => {
    const bad = localLinks(page).flatMap((link) => {
      const problem = problemOf(link);
      return problem === null ? [] : [`${link.at}: ${problem}`];
    });
    expect(bad).toEqual([]);
  });

  it('reach every page from README.md but the working plans, which are for builders', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      if (!page.endsWith('.md')) continue;
      for (const { file } of localLinks(page)) {
        const below = isDirectory(file) ? guides.filter((one) => path.posix.dirname(one) === file) : []; // prettier-ignore
        for (const one of [file, ...below]) reached.add(one);
      }
    }
    const missed = guides.filter((page) => !reached.has(page));
    expect(missed.filter((page) => !page.startsWith('docs/plans/'))).toEqual([]);
  });

  it('lead to files of the package, in pages that are part of it', async () => {
    const { stdout } = await execa('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: projectRoot,
    });
    const [{ files }] = JSON.parse(stdout) as [{ files: readonly { path: string }[] }];
    const packed = files.map((file) => file.path);
    expect(packed).toEqual(expect.arrayContaining(['README.md', 'docs/getting-started.md']));
    expect(packed.filter((file) => file.startsWith('docs/plans/'))).toEqual([]);
    const has = (file: string): boolean =>
      packed.some((one) => one === file || one.startsWith(`${file}/`));
    const bad = packed
      .filter((page) => pages.includes(page))
      .flatMap((page) => localLinks(page).filter(({ file }) => !has(file)));
    expect(bad.map(({ at }) => at)).toEqual([]);
  });
});
