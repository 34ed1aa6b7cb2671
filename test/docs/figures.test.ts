import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/** Each new policy of the library changes these figures: `npm run docs` corrects them. */
const root = path.resolve(import.meta.dirname, '../..');
const isPolicy = (file: string): boolean =>
  /^(aws|azure|gcp)[\\/].*\.yaml$/.test(file) && !file.endsWith('.test.yaml');
const policies = readdirSync(path.join(root, 'policies-example'), {
  recursive: true,
  encoding: 'utf8',
}).filter(isPolicy).length;

it.each([
  ['README.md', /\d+(?= policies for AWS)/],
  ['docs/local-server.md', /(?<= 1 of |The server has )\d+(?= policies)/],
])('%s shows how many policies the library has', async (file, figure) => {
  const text = readFileSync(path.join(root, file), 'utf8');
  expect(text).toMatch(figure);
  await expect(text.replace(figure, String(policies))).toMatchFileSnapshot(path.join(root, file));
});
