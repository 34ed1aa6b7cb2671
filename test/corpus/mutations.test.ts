// Every public input, damaged: a reader may refuse it at a place, and does neither throw nor take long.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCpuTime } from '../support/cpu-time.ts';
import { decodeText } from '../../src/inventory/text/decode-text.ts';
import { parseText } from '../../src/inventory/text/parse.ts';
import { readInventory } from '../../src/inventory/read.ts';
import { createPick } from '../support/pick.ts';
import type { Pick } from '../support/pick.ts';
import { encode, mutateDocument, mutateText } from './mutate.ts';

const data = path.resolve(import.meta.dirname, '../../../shared/data');
const isThere = existsSync(data);
if (!isThere) console.log('skipped: the public inputs are not in this checkout');

/** A run of another seed tries other damage. */
const seed = Number(process.env['GOVCTL_SEED'] ?? 1);
/** Milliseconds for the inputs of one folder; the others of its files are tried by other seeds. */
const atMost = 4_000;
/** Milliseconds that a kilobyte may take on a busy machine, and any input. */
const [each, any] = [20, 2_000];

const filesOf = (folder: string): string[] =>
  readdirSync(path.join(data, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:json|ya?ml|template|tfstate|ndjson)$/.test(file))
    .map((file) => path.join(data, folder, file))
    .sort();

/** Undefined where the text is of no use as a document. */
function documentOf(text: string): unknown {
  const parse = parseText(text);
  return parse.ok ? parse.parsed.document : undefined;
}

function damage(file: string, pick: Pick): Uint8Array {
  const decoded = decodeText(readFileSync(file));
  const text = decoded.ok ? decoded.text : '';
  if (pick(3) === 0) return encode(mutateText(text, pick), pick);
  const document = documentOf(text);
  return Buffer.from(JSON.stringify(mutateDocument(document, pick)) ?? '');
}

/** What is wrong with how an input was read; undefined where nothing is. */
function faultOf(input: Uint8Array): string | undefined {
  const cpuTime = startCpuTime();
  try {
    const read = readInventory(input);
    const problems = read.ok ? read.inventory.problems : [read.problem];
    if (read.ok) for (const { at } of read.inventory.resources.slice(-3)) read.inventory.locate(at);
    const taken = cpuTime();
    if (taken > any + (each * input.length) / 1024) return `took ${taken} ms`;
    const unplaced = problems.find(
      ({ line, message }) =>
        message === '' || (line === undefined && message !== 'the input is empty'),
    );
    return unplaced && `has no place: ${unplaced.message}`;
  } catch (error) {
    return error instanceof Error ? error.stack : String(error);
  }
}

describe.runIf(isThere)('an input that is damaged is refused at a place, or read:', () => {
  test.each(['cloudformation', 'terraform-plan', 'aws-config', 'gcp-assets', 'azure-resources'])(
    '%s',
    (folder) => {
      const pick = createPick(seed);
      const files = filesOf(folder);
      const until = performance.now() + atMost;
      let tried = 0;
      for (; performance.now() < until; tried++) {
        const file = files[pick(files.length)] ?? '';
        const input = damage(file, pick);
        const fault = faultOf(input);
        if (fault !== undefined) {
          expect.fail(
            `${path.basename(file)}, ${tried} of seed ${seed}: ${fault}\n${Buffer.from(input).toString().slice(0, 2_000)}`,
          );
        }
      }
      console.log(`${folder}: ${tried} damaged inputs of ${files.length} files`);
      expect(tried).toBeGreaterThan(0);
    },
  );
});
