import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/** What commands print changes with each policy of the library: `npm run docs` puts the figures right. */
const root = path.resolve(import.meta.dirname, '../..');
const isPolicy = (file: string): boolean =>
  /^(aws|azure|gcp)[\\/].*\.yaml$/.test(file) && !file.endsWith('.test.yaml');
const policies = readdirSync(path.join(root, 'policies-example'), {
  recursive: true,
  encoding: 'utf8',
}).filter(isPolicy).length;

const sayings = [
  /(?<=Plan: )\d+(?= to create, 0 to update)/,
  /(?<= 1 of |It has )\d+(?= policies)/,
];

it.each([
  ['README.md', sayings],
  ['docs/local-server.md', sayings.slice(1)],
])('%s shows how many policies the library has', async (file, said) => {
  const text = readFileSync(path.join(root, file), 'utf8');
  for (const one of said) expect(text).toMatch(one);
  const right = said.reduce((now, one) => now.replace(one, String(policies)), text);
  await expect(right).toMatchFileSnapshot(path.join(root, file));
});
