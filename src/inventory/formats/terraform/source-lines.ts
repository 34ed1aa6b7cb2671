import { readModuleAddress, readSteps } from './address.ts';
import { scanHcl } from './hcl.ts';
import type { HclBlock } from './hcl.ts';

/** A `.tf` file; its path is relative to the root module, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

interface SourcePlace {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Of the block: `['resource', 'aws_subnet', 'main']`, or `['module', 'net']` where the module is from elsewhere. */
  readonly labels: readonly string[];
}

interface Placed extends SourcePlace {
  /** Of a module, where it is a plain text. */
  readonly source: string | undefined;
}

/** What `.tf` files declare. */
export interface SourceIndex {
  /** The block that declares a resource, by its address; of a module from elsewhere, the `module` block which brings it in. */
  locate(address: string): SourcePlace | undefined;
  /** The folder of a module, by its address; undefined of one from elsewhere. */
  folderOf(module: string): string | undefined;
}

/** Modules are followed where their `source` is a path. */
export function indexSources(files: readonly SourceFile[]): SourceIndex {
  const blocks = new Map<string, Placed>();
  for (const { path, text } of files) {
    for (const block of scanHcl(text).blocks) {
      const { labels, line } = block;
      const key = keyOf(folderOf(path), labels);
      if (!blocks.has(key)) blocks.set(key, { path, line, labels, source: sourceOf(text, block) });
    }
  }
  const follow = (
    address: string,
  ): { readonly call?: Placed | undefined; readonly folder?: string } => {
    let folder = '';
    let call: Placed | undefined;
    for (const { name } of readModuleAddress(address)) {
      call = blocks.get(keyOf(folder, ['module', name]));
      const next = call?.source === undefined ? undefined : joinPath(folder, call.source);
      if (next === undefined) return { call };
      folder = next;
    }
    return { call, folder };
  };
  return {
    locate(address) {
      const { call, folder } = follow(address);
      if (folder === undefined) return placeOf(call);
      return placeOf(blocks.get(keyOf(folder, ['resource', ...resourceOf(address)])) ?? call);
    },
    folderOf: (module) => follow(module).folder,
  };
}

const placeOf = (block: Placed | undefined): SourcePlace | undefined =>
  block && { path: block.path, line: block.line, labels: block.labels };

function sourceOf(text: string, { labels, attributes }: HclBlock): string | undefined {
  const found = labels[0] === 'module' && attributes.find(({ name }) => name === 'source');
  return found ? /^"([^"]*)"$/.exec(text.slice(found.valueStart, found.valueEnd))?.[1] : undefined;
}

const keyOf = (folder: string, labels: readonly string[]): string =>
  JSON.stringify([folder, ...labels]);

/** Type and name: the last two names of an address. What Terraform sets in a resource may be another of ours: `NAME/blobServices/default`. */
const resourceOf = (address: string): string[] =>
  readSteps(address)
    .flatMap((step) => ('name' in step ? [step.name.split('/', 1)[0] ?? ''] : []))
    .slice(-2);

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

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
