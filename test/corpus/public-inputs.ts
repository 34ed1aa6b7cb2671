import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Format } from '../../src/inventory/formats/formats.ts';
import { readInventory } from '../../src/inventory/read.ts';

const data = path.resolve(import.meta.dirname, '../../../shared/data');

/** Whether the public inputs are in this checkout; said once for each folder where not. */
export function hasInputs(folder: string): boolean {
  const isThere = existsSync(path.join(data, folder));
  if (!isThere) console.log(`skipped: the public inputs of ${folder} are not in this checkout`);
  return isThere;
}

export const inputPath = (file: string): string => path.join(data, file);

export const readInput = (file: string) => readInventory(readFileSync(inputPath(file)));

/**
 * Reads every file of a folder: which loaded as the format, and of the others the message with its place. Prints
 * loaded/total, and what did not load.
 */
export function readFolder(folder: string, format: Format) {
  const files = readdirSync(path.join(data, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:json|ndjson|tfstate)$/.test(file))
    .sort();
  const failed: string[] = [];
  let resources = 0;
  for (const file of files) {
    const read = readInput(path.join(folder, file));
    if (read.ok && read.inventory.format === format) resources += read.inventory.resources.length;
    else if (read.ok) failed.push(`${file}: read as ${read.inventory.format}`);
    else
      failed.push(`${file}:${read.problem.line}:${read.problem.column}: ${read.problem.message}`);
  }
  console.log(`${folder}: ${files.length - failed.length}/${files.length} loaded`);
  for (const one of failed) console.log(`  ${one}`);
  return { total: files.length, failed, resources };
}
