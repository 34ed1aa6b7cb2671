// Public templates, plans, items and documents in other words: in another order, beside others, as YAML, with other names.
// No verdict of the library changes.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readInventory } from '../../src/inventory/read.ts';
import { parseText } from '../../src/inventory/text/parse.ts';
import {
  changed,
  harmlessChanges,
  verdictsIn,
} from '../inventory/same-verdict/harmless-changes.ts';
import { createPick } from '../support/pick.ts';

const data = path.resolve(import.meta.dirname, '../../../shared/data');
const isThere = existsSync(data);
if (!isThere) console.log('skipped: the public inputs are not in this checkout');

/** A run of another seed takes other files, in another order. */
const seed = Number(process.env['GOVCTL_SEED'] ?? 1);
/** Of each folder, and how large: the comparison reads each file seven times. */
const [atMost, largest] = [60, 200_000];

const filesOf = (folder: string): string[] => {
  const pick = createPick(seed);
  const files = readdirSync(path.join(data, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:json|ya?ml|template|tfstate)$/.test(file))
    .map((file) => path.join(data, folder, file))
    .sort();
  return files.flatMap(() => files.splice(pick(files.length), 1)).slice(0, atMost);
};

describe.runIf(isThere)('the verdicts of public files stay the same', () => {
  test.each(['cloudformation', 'terraform-plan', 'aws-config', 'gcp-assets', 'azure-resources'])(
    '%s',
    (folder) => {
      const wrong: unknown[] = [];
      let compared = 0;
      for (const file of filesOf(folder)) {
        const text = readFileSync(file, 'utf8');
        const parsed = parseText(text);
        const read = readInventory(text);
        if (text.length > largest || !parsed.ok || !read.ok) continue;
        const { document } = parsed.parsed;
        const { format } = read.inventory;
        const before = verdictsIn([document], format);
        for (const [title, change] of Object.entries(harmlessChanges)) {
          const other = change(document, format, createPick(seed));
          if (!other) continue;
          compared++;
          const found = changed(before, verdictsIn(other, format));
          if (found.length > 0) wrong.push({ file: path.basename(file), title, found });
        }
      }
      console.log(`${folder}: ${compared} changes compared`);
      expect(wrong).toEqual([]);
      expect(compared).toBeGreaterThan(0);
    },
  );
});
