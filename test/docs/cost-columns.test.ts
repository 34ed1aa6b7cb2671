import path from 'node:path';
import { expect, test } from 'vitest';
import { dialects } from '../../src/cost/focus/dialects.ts';
import type { Source } from '../../src/cost/focus/dialects.ts';
import { withBlock } from '../corpus/generated-block.ts';

const file = path.resolve('docs/cost.md');

/** A row for each value: the columns that it is read from, by export. */
function table(): string {
  const sources = [...new Set(dialects.flatMap(({ columns }) => Object.keys(columns) as Source[]))];
  const cell = (names: readonly string[] = []): string =>
    names.map((name) => `\`${name}\``).join(', ');
  const rows = sources.map((source) => [
    source,
    ...dialects.map(({ columns, fixed, tagPrefix }) => {
      if (source === 'provider' && fixed?.provider !== undefined) return `always ${fixed.provider}`;
      if (source === 'tags' && tagPrefix !== undefined) return `\`${tagPrefix}…\``;
      return cell(columns[source]);
    }),
  ]);
  const titles = ['value', ...dialects.map(({ name }) => name)];
  return [titles, titles.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

test('docs/cost.md lists the columns that each value is read from', async () => {
  const text = withBlock(file, 'test/docs/cost-columns.test.ts', table());
  await expect(text).toMatchFileSnapshot(file);
});
