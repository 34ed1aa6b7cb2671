import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import type { ReadResource } from '../../inventory/model.ts';
import type { SourceFile } from '../../inventory/formats/terraform/hcl.ts';
import type { CommentSkip } from '../../inventory/formats/terraform/skip-comments.ts';
import { indexSources } from '../../inventory/formats/terraform/source-lines.ts';
import { createSkipReader } from '../../project/check/inline-skips.ts';
import type { InlineSkip } from '../../project/check/inline-skips.ts';
import type { Place } from '../../project/model.ts';
import { createBoundary } from '../../project/read/boundary.ts';
import type { Boundary } from '../../project/read/boundary.ts';
import { showPath } from '../../project/read/discover.ts';
import { interrupted } from './check-run.ts';

/** Where Terraform resources stand in `.tf` files, and what comments there ask for. */
export interface SourcePlaces {
  /** Undefined where no file declares it. */
  placeOf(read: Pick<ReadResource, 'address' | 'resource'>): SourcePlace | undefined;
  readonly straySkips: readonly Place[];
}

interface SourcePlace {
  readonly place: Place;
  /** Of the block: the same list for every resource that it declares. */
  readonly skips: readonly InlineSkip[];
}

/**
 * Finds resources of Terraform plans in the `.tf` files of a folder, and those below it.
 * @throws GovctlError usage_error when the folder can't be read; interrupted
 */
export async function createSourcePlaces(
  cwd: string,
  folder: string,
  allowOutside: boolean,
  signal: AbortSignal,
): Promise<SourcePlaces> {
  const root = path.resolve(cwd, folder);
  const boundary = createBoundary(root, [], allowOutside);
  const index = indexSources(await readSources(root, folder, boundary, signal));
  const placeIn = (file: string, line: number): Place => ({
    file: showPath(cwd, path.join(root, file)),
    line,
    column: 1,
  });
  const readSkips = createSkipReader<CommentSkip>('comment', ({ path: file, line }) =>
    placeIn(file, line),
  );
  return {
    placeOf({ address, resource }) {
      if ((resource.source as { format?: unknown } | undefined)?.format !== 'terraform') {
        return undefined;
      }
      const found = index.locate(address);
      return (
        found && {
          place: placeIn(found.path, found.line),
          skips: readSkips(found.skips),
        }
      );
    },
    straySkips: index.straySkips.map((one) => placeIn(one.path, one.line)),
  };
}

/** Bytes of all `.tf` files of a root module and what is below it. */
const mostBytes = 64 * 1024 * 1024;

/**
 * The `.tf` files below a folder, by their paths from there. A link that leads outside, or to what is no file, is no source: resources of it have no line.
 * @throws GovctlError usage_error; interrupted
 */
export async function readSources(
  root: string,
  shown: string,
  boundary: Boundary,
  signal: AbortSignal,
): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  let bytes = 0;
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      signal.throwIfAborted();
      const absolute = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!entry.name.startsWith('.') && entry.name !== 'node_modules') await visit(absolute);
      } else if (entry.name.endsWith('.tf')) {
        const found = await stat(absolute);
        if (!found.isFile()) continue;
        if (entry.isSymbolicLink() && boundary.outside(absolute) !== undefined) continue;
        bytes += found.size;
        if (bytes > mostBytes) {
          throw new Error(`the .tf files are larger than ${mostBytes >> 20} MiB in total`);
        }
        const relative = path.relative(root, absolute).replaceAll(path.sep, '/');
        files.push({
          path: relative,
          text: await readFile(absolute, { encoding: 'utf8', signal }),
        });
      }
    }
  };
  try {
    await visit(root);
  } catch (cause) {
    if (signal.aborted) throw interrupted();
    throw new GovctlError('usage_error', `--source ${shown}: ${(cause as Error).message}`, {
      cause,
      hint: 'Pass the directory of the root module, where the plan was created.',
    });
  }
  return files;
}
