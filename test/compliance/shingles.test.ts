import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasRestrictedTexts, restrictedTexts } from './restricted-texts.ts';
import { readShingles, shinglesFile, shinglesOf, writtenShingles } from './shingles.ts';

const root = path.resolve(import.meta.dirname, '../..');
const restricted = readShingles();

/** Everyday phrases that a body's text happens to have, too. */
const allowed: ReadonlySet<string> = new Set([
  // A license says so, too.
  'include but are not limited to',
  'but are not limited to the',
]);

/** What of a text stands in the publications of a restricted body, with its line. */
const findIn = (text: string): string[] =>
  [...shinglesOf(text)].flatMap(({ hash, line, text: words }) =>
    restricted.has(hash) && !allowed.has(words) ? [`${line}: ${words}`] : [],
  );

const isText = (bytes: Buffer): boolean => !bytes.subarray(0, 8_192).includes(0);

describe('the texts of SOC 2, ISO 27001 and PCI DSS belong to their bodies', () => {
  it('and no file of the project has six words in a row of them', () => {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, maxBuffer: 1 << 26 }); // prettier-ignore
    const files = listed.toString('utf8').split('\0').filter((file) => file !== '' && existsSync(path.join(root, file))); // prettier-ignore
    expect(files.length).toBeGreaterThan(1_000);
    expect(restricted.size).toBeGreaterThan(10_000);
    const found = files.flatMap((file) => {
      const bytes = readFileSync(path.join(root, file));
      return isText(bytes) ? findIn(bytes.toString('utf8')).map((hit) => `${file}:${hit}`) : [];
    });
    expect(found, 'Say it in your own words: these texts must not be copied').toEqual([]);
  });

  it.skipIf(!hasRestrictedTexts)('the hashes are those of the published mappings', async () => {
    const hashes = restrictedTexts().flatMap((text) => [...shinglesOf(text)].map(({ hash }) => hash)); // prettier-ignore
    await expect(writtenShingles(new Set(hashes))).toMatchFileSnapshot(shinglesFile);
  });

  it.skipIf(!hasRestrictedTexts)('they are found wherever they are put', () => {
    const long = restrictedTexts().filter((text) => text.split(/\s+/).length > 12);
    const wrapped = (text: string, before: string): string => text.split(/\s+/).map((word, at) => (at % 5 === 0 ? `\n${before}${word}` : word)).join(' '); // prettier-ignore
    for (const text of long.filter((_, at) => at % 50 === 0)) {
      const places = [
        `title: ${text}\n`,
        `description: >\n${wrapped(text, '  ')}`,
        `const a = 1; /* ${text} */`,
        wrapped(text, '// '),
        `/**${wrapped(text, ' * ')}\n */`,
        `# Heading\n\n> ${wrapped(text, '> ')}`,
        JSON.stringify({ title: `x\n${text}` }),
        text.toUpperCase(),
        `'${text.split(' ').slice(0, 8).join(`' +\n    '`)}'`,
      ];
      for (const place of places) expect(findIn(place), place).not.toEqual([]);
    }
  });
});
