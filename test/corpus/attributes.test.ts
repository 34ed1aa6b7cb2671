// Over real documents of every format: a normaliser gives what it declares, and nothing else.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { typeKey } from '../../src/contract/resources.ts';
import type { Format } from '../../src/inventory/formats/formats.ts';
import type { RawResource } from '../../src/inventory/model.ts';
import { normalisers } from '../../src/inventory/attributes/types.ts';
import type { Related } from '../../src/inventory/attributes/related.ts';
import { createRelated } from '../../src/inventory/attributes/related.ts';
import { readers } from '../../src/inventory/formats/readers.ts';
import { parseText } from '../../src/inventory/text/parse.ts';
import { declared, mistakes } from '../support/attribute-model.ts';

const data = path.resolve(import.meta.dirname, '../../../shared/data');
const isThere = existsSync(data);
if (!isThere) console.log('skipped: the public documents are not in this checkout');

const byType = new Map(
  normalisers.flatMap((one) => one.types.map((type) => [typeKey(type), one] as const)),
);

const filesBelow = (folder: string): string[] =>
  readdirSync(path.join(data, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(json|ya?ml|template|tfstate)$/i.test(file))
    .map((file) => path.join(data, folder, file));

function check(raw: RawResource, format: Format, related: Related): string[] {
  const extract = format === 'native' ? undefined : byType.get(typeKey(raw.type))?.from[format];
  const table = declared.get(typeKey(raw.type));
  if (!extract || !table) return [];
  return Object.entries(extract(raw, related)).flatMap(([name, value]) =>
    mistakes(value, name, table).map((mistake) => `${raw.type}: ${mistake}`),
  );
}

function* documentsOf(file: string): Generator<unknown> {
  const read = parseText(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  if (!read.ok) return;
  const { document } = read.parsed;
  // The Guard cases are lists of templates.
  if (file.includes('cfn-guard-tests') && Array.isArray(document)) {
    for (const one of document as { readonly input?: unknown }[]) yield one.input;
  } else yield document;
}

describe.runIf(isThere)('the attributes of real documents', () => {
  test.each([
    ['cloudformation', 50],
    ['cfn-guard-tests', 500],
    ['terraform-plan', 50],
    ['aws-config', 10],
    ['gcp-assets', 10],
    ['azure-resources', 10],
  ])('of %s are declared, with the types that are declared', (folder, atLeast) => {
    const seen = new Set<string>();
    let normalised = 0;
    for (const file of filesBelow(folder)) {
      for (const document of documentsOf(file)) {
        const reader = readers.find((one) => one.detects(document));
        if (!reader) continue;
        const { raws } = reader.read(document, {});
        const related = createRelated(raws, reader.format);
        for (const raw of raws) {
          if (byType.has(typeKey(raw.type))) normalised++;
          for (const mistake of check(raw, reader.format, related)) {
            seen.add(`${mistake} (${path.basename(file)})`);
          }
        }
      }
    }
    expect([...seen]).toEqual([]);
    expect(normalised).toBeGreaterThanOrEqual(atLeast);
  });
});
