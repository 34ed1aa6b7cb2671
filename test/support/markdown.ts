import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from './built-cli.ts';

/** Relative to the project. */
export const guides: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(path.join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join('docs', name.replaceAll(path.sep, '/')))
    .sort(),
];

/** A paragraph, heading, list item or row of a table, without code and the targets of links. */
export interface Prose {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export const readGuide = (file: string): string =>
  readFileSync(path.join(projectRoot, file), 'utf8');

/** Code and comments become empty lines, so that lines keep their numbers. */
const withoutCode = (text: string): string =>
  text.replace(/^ *(`{3,})[^]*?^ *\1 *$|<!--[^]*?-->/gm, (block) => block.replace(/[^\n]/g, ''));

export function proseOf(file: string, text = readGuide(file)): readonly Prose[] {
  const found: Prose[] = [];
  let open = false;
  withoutCode(text)
    .split('\n')
    .forEach((line, index) => {
      const last = found.at(-1);
      if (open && last && !/^\s*([-*|#]|\d+\.) ?/.test(line) && line.trim() !== '') {
        found[found.length - 1] = { ...last, text: `${last.text} ${line.trim()}` };
      } else if (line.trim() !== '') found.push({ file, line: index + 1, text: line.trim() });
      open = line.trim() !== '' && !/^\s*[#|]/.test(line);
    });
  return found.map((one) => ({
    ...one,
    text: one.text.replace(/(`+).+?\1/g, '`code`').replace(/\]\([^)]*\)/g, ']'),
  }));
}

/** What GitHub calls the headings of a page in addresses. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = heading
      .replace(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

export interface Link {
  readonly line: number;
  /** As it is written: `backups.md#restore`, `#restore` or an address. */
  readonly target: string;
}

/** Links and pictures, also of HTML and of references below the text. */
export function linksOf(text: string): readonly Link[] {
  const lines = withoutCode(text)
    .replace(/(`+).+?\1/g, '')
    .split('\n');
  return lines.flatMap((line, index) =>
    Array.from(
      line.matchAll(/\]\(<?([^)\s>]+)|^\[[^\]]+\]: +(\S+)|\b(?:href|src|srcset)="([^"]+)"/g),
      ([, inline, reference, html]) => ({ line: index + 1, target: inline ?? reference ?? html ?? '' }), // prettier-ignore
    ),
  );
}
