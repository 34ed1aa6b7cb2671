// What an import stores of public files is decided as `check` decides the files: what is unknown there stays so.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { resourceLines } from '../../src/cli/resource/resource-lines.ts';
import type { Resource } from '../../src/contract/resources.ts';
import { restoreUnknown } from '../../src/engine/restore-unknown.ts';
import { verdictsOf } from '../support/policy-library.ts';
import { hasInputs, inputPath, readInput } from './public-inputs.ts';

describe.each(['cloudformation', 'terraform-plan', 'aws-config', 'gcp-assets', 'azure-resources'])(
  'resources of %s',
  (folder) => {
    test.runIf(hasInputs(folder))('have the same verdicts once they are stored', () => {
      const files = readdirSync(inputPath(folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(?:json|ya?ml|template|ndjson|tfstate)$/.test(file))
        .sort();
      const wrong: unknown[] = [];
      let compared = 0;
      for (const file of files) {
        const read = readInput(path.join(folder, file));
        if (!read.ok) continue;
        const { resources } = read.inventory;
        const chunks = resourceLines(resources, () => {}, (_, line) => line.includes('"_unknown"')); // prettier-ignore
        for (const { text, resources: sent } of chunks) {
          for (const [index, line] of text.trimEnd().split('\n').entries()) {
            const given = sent[index]?.resource;
            if (!given) throw new Error('a line without a resource');
            const [before, after] = [given, restoreUnknown(JSON.parse(line) as Resource)].map(
              verdictsOf,
            );
            compared++;
            for (const [policy, verdict] of Object.entries(before ?? {})) {
              if (after?.[policy] !== verdict) wrong.push({ file, id: given.id, policy, verdict, stored: after?.[policy] }); // prettier-ignore
            }
          }
        }
      }
      console.log(`${folder}: ${compared} resources with unknown values compared`);
      expect(wrong).toEqual([]);
    });
  },
);
