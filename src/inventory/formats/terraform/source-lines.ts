import { readModuleAddress, readSteps } from './address.ts';
import { scanBlocks } from './scan-blocks.ts';
import type { Block } from './scan-blocks.ts';

/** A `.tf` file; its path is relative to the root module, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

interface SourcePlace {
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

interface Placed extends Block {
  readonly path: string;
}

/**
 * Finds the block that declares a resource by its address. Modules are followed where their `source` is a path; for a
 * resource of a module from elsewhere, the place is that of the `module` block which brings it in.
 */
export function createLocateResource(
  files: readonly SourceFile[],
): (address: string) => SourcePlace | undefined {
  const blocks = new Map<string, Placed>();
  for (const { path, text } of files) {
    for (const block of scanBlocks(text)) {
      const key = keyOf(folderOf(path), block.labels);
      if (!blocks.has(key)) blocks.set(key, { ...block, path });
    }
  }
  return (address) => {
    let folder = '';
    let call: Placed | undefined;
    for (const { name } of readModuleAddress(address)) {
      call = blocks.get(keyOf(folder, ['module', name]));
      const next = call?.source === undefined ? undefined : joinPath(folder, call.source);
      if (next === undefined) return placeOf(call);
      folder = next;
    }
    return placeOf(blocks.get(keyOf(folder, ['resource', ...resourceOf(address)])) ?? call);
  };
}

const placeOf = (block: Placed | undefined): SourcePlace | undefined =>
  block && { path: block.path, line: block.line };

const keyOf = (folder: string, labels: readonly string[]): string =>
  JSON.stringify([folder, ...labels]);

/** Type and name: the last two names of an address. */
const resourceOf = (address: string): string[] =>
  readSteps(address)
    .flatMap((step) => ('name' in step ? [step.name] : []))
    .slice(-2);

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** A module's folder; undefined for a source that is not a path (a registry, a repository). */
function joinPath(folder: string, source: string): string | undefined {
  if (!source.startsWith('./') && !source.startsWith('../')) return undefined;
  const steps = folder === '' ? [] : folder.split('/');
  for (const step of source.split('/')) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (step !== '.' && step !== '') steps.push(step);
  }
  return steps.join('/');
}
