import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import type { ReadResource } from '../../inventory/model.ts';
import { indexSources } from '../../inventory/formats/terraform/source-lines.ts';
import type { SourceFile } from '../../inventory/formats/terraform/source-lines.ts';
import type { Place } from '../../project/model.ts';
import { createBoundary } from '../../project/read/boundary.ts';
import type { Boundary } from '../../project/read/boundary.ts';
import { showPath } from '../../project/read/discover.ts';

/**
 * Finds resources of Terraform plans in the `.tf` files of a folder, and those below it.
 * @throws GovctlError usage_error when the folder can't be read
 */
export function createSourcePlaces(
  cwd: string,
  folder: string,
  allowOutside: boolean,
): (read: ReadResource) => Place | undefined {
  const root = path.resolve(cwd, folder);
  const { locate } = indexSources(
    readSources(root, folder, createBoundary(root, [], allowOutside)),
  );
  return ({ address, resource }) => {
    if ((resource.source as { format?: unknown } | undefined)?.format !== 'terraform') {
      return undefined;
    }
    const found = locate(address);
    return (
      found && { file: showPath(cwd, path.join(root, found.path)), line: found.line, column: 1 }
    );
  };
}

/**
 * The `.tf` files below a folder, by their paths from there. A link that leads outside, or to what is no file, is no source: resources of it have no line.
 * @throws GovctlError usage_error
 */
export function readSources(root: string, shown: string, boundary: Boundary): SourceFile[] {
  const files: SourceFile[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const absolute = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!entry.name.startsWith('.') && entry.name !== 'node_modules') visit(absolute);
      } else if (entry.name.endsWith('.tf') && statSync(absolute).isFile()) {
        if (entry.isSymbolicLink() && boundary.outside(absolute) !== undefined) continue;
        const relative = path.relative(root, absolute).replaceAll(path.sep, '/');
        files.push({ path: relative, text: readFileSync(absolute, 'utf8') });
      }
    }
  };
  try {
    visit(root);
  } catch (cause) {
    throw new GovctlError('usage_error', `--source ${shown}: ${(cause as Error).message}`, {
      cause,
      hint: 'Name the folder of the root module, where the plan was made.',
    });
  }
  return files;
}
