import { readModuleAddress, readSteps } from './address.ts';
import { scanHcl } from './hcl.ts';
import type { HclBlock, SourceFile } from './hcl.ts';
import { findSkips } from './skip-comments.ts';
import type { CommentSkip } from './skip-comments.ts';

interface SourcePlace {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Of the block: `['resource', 'aws_subnet', 'main']`, or `['module', 'net']` where the module is from elsewhere. */
  readonly labels: readonly string[];
  /** The same list for every resource of the block. */
  readonly skips: readonly CommentSkip[];
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
  /** Comments that ask for a skip, and are of no `resource` or `module` block. */
  readonly straySkips: readonly CommentSkip[];
}

/** Modules are followed where their `source` is a path. */
export function indexSources(files: readonly SourceFile[]): SourceIndex {
  const blocks = new Map<string, Placed>();
  const strays: (readonly CommentSkip[])[] = [];
  for (const file of files) {
    const { path, text } = file;
    const found = scanHcl(text).blocks;
    const { byBlock, stray } = findSkips(file, found);
    strays.push(stray);
    for (const block of found) {
      const { labels, line } = block;
      const skips = byBlock.get(block) ?? noSkips;
      if (labels[0] !== 'resource' && labels[0] !== 'module') strays.push(skips);
      const key = keyOf(folderOf(path), labels);
      if (blocks.has(key)) continue;
      blocks.set(key, { path, line, labels, skips, source: sourceOf(text, block) });
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
    straySkips: strays.flat(),
  };
}

const placeOf = (block: Placed | undefined): SourcePlace | undefined =>
  block && { path: block.path, line: block.line, labels: block.labels, skips: block.skips };

const noSkips: readonly CommentSkip[] = [];

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
