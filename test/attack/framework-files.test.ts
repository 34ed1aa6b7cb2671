import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
let folder: string;
beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'govctl-oscal-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const size = 20 * 1024 * 1024;
const fill = (item: (nth: number) => string): string => {
  const items: string[] = [];
  for (let length = 0, nth = 0; length < size; nth++) {
    const text = item(nth);
    length += text.length + 1;
    items.push(text);
  }
  return items.join(',');
};
const catalog = (controls: string): string => `{"catalog":{"controls":[${controls}]}}`;

const files: readonly (readonly [what: string, text: () => string, message: string])[] = [
  [
    'controls that link to each other in a circle',
    () =>
      catalog(
        fill((n) => {
          const links = `[{"href":"#c${(n + 1) % 9}","rel":"related"},{"href":"#c${n % 9}"}]`;
          return `{"id":"c${n}","title":"t","links":${links}}`;
        }),
      ),
    'more than 5,000 controls',
  ],
  ['lists in lists in lists', () => '['.repeat(size), 'nested more than 100 levels deep'],
  [
    'controls in controls in controls',
    () => `{"catalog":${'{"controls":[{"id":"a","controls":['.repeat(size / 32)}`,
    'nested more than 100 levels deep',
  ],
  ['millions of lists', () => catalog(fill(() => '[]')), 'more than 1,000,000 lists and maps'],
  ['millions of keys', () => `{"catalog":{${fill((n) => `"k${n}":0`)}}}`, 'more than 1,000 keys'],
  ['one number after the other', () => catalog(fill(() => '1')), 'the catalog has no controls'],
  ['one very long text', () => catalog(`{"id":"a","title":"${'x'.repeat(size)}"}`), 'Wrote'],
  [
    'a text of nothing but insertions',
    () =>
      catalog(
        `{"id":"a","title":"t","parts":[{"name":"statement","prose":"${'{{ insert: param, '.repeat(size / 18)}"}]}`,
      ),
    'Wrote',
  ],
  [
    'aliases that stand for aliases, in YAML',
    () => `a: &a [x]\n${fill((n) => `\nb${n}: &b${n} [*a, *a]`)}`,
    'cannot be imported',
  ],
  ['a profile', () => `{"profile":{"imports":[${fill((n) => `"${n}"`)}]}}`, 'model is profile'],
  ['one open quote', () => `id,title\na,"${'x""'.repeat(size / 3)}`, 'closing quote'],
  ['a table of nothing but commas', () => `id,title\n${','.repeat(size)}`, 'columns'],
];

describe('framework import of a file of 20 MiB', () => {
  it.each(files)('with %s ends soon, in bounded memory', (_, text, message) => {
    const file = path.join(folder, 'file.json');
    writeFileSync(file, text());
    const argv = ['framework', 'import', file, '--id', 'own', '--out', 'out.yaml'];
    const ran = spawnSync(
      process.execPath,
      ['--max-old-space-size=300', path.join(root, 'bin/govctl.js'), ...argv],
      { cwd: folder, encoding: 'utf8', timeout: 60_000, env: { PATH: process.env.PATH } },
    );
    const said = ran.stdout + ran.stderr;
    expect(said).toContain(message);
    expect(ran.status, said.slice(0, 500)).toBe(message === 'Wrote' ? 0 : 3);
    expect(said.length).toBeLessThan(2_000);
  });
});
