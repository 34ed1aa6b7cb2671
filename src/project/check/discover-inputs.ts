import { readdirSync, statSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { configFileName, showPath } from '../read/discover.ts';
import { unreadable } from '../read/read-text.ts';

/** A file to check. */
export interface InputFile {
  /** As the user would type it; `stdin` for standard input. */
  readonly file: string;
  /** `-` for standard input. */
  readonly absolute: string;
  /** Bytes. */
  readonly size: number;
  /** Named on the command line, not found in a folder. */
  readonly named: boolean;
}

/** Something that stood in the way of an input. */
export interface Unreadable {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

export interface FoundInputs {
  /** In the order given; a folder's by path. */
  readonly files: readonly InputFile[];
  readonly unreadable: readonly Unreadable[];
}

const standardInput = '-';

export const isStandardInput = ({ absolute }: InputFile): boolean => absolute === standardInput;

/** `*.tfplan.json` and the like end in these too. */
const wanted = /\.(?:json|ndjson|jsonl|yaml|yml|template|tfstate)$/i;

/** Files that many repos hold and that are never resources. */
const neverInputs =
  /^(?:package(?:-lock)?|composer|tsconfig(?:\..+)?|jsconfig|deno|angular|nx|turbo|renovate|lerna|cdk|samconfig|manifest|tree|.+\.assets|\..+)\.json$|^(?:pnpm-lock|docker-compose(?:\..+)?|compose|mkdocs|dependabot|serverless)\.ya?ml$|^\./i;

const isTest = (name: string): boolean => /\.test\.ya?ml$/i.test(name);
const isWantedFolder = (name: string): boolean => !name.startsWith('.') && name !== 'node_modules';

/**
 * The files that `inputs` name; folders are searched for what may hold resources, without dot-folders, node_modules,
 * tests and govctl.yaml. A file that is reached twice is taken once.
 * @throws GovctlError usage_error for an input that does not exist
 */
export function discoverInputs(cwd: string, inputs: readonly string[]): FoundInputs {
  const files: InputFile[] = [];
  const failed: Unreadable[] = [];
  const seen = new Set<string>();
  const isNew = ({ dev, ino }: Stats, absolute: string): boolean => {
    const identity = ino === 0 ? absolute : `${dev}:${ino}`;
    return !seen.has(identity) && seen.add(identity) !== undefined;
  };
  const visit = (folder: string): void => {
    let entries: Dirent[];
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      failed.push({ file: showPath(cwd, folder), message: unreadable(error).message });
      return;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name } of entries) {
      const absolute = path.join(folder, name);
      const stats = statSync(absolute, { throwIfNoEntry: false });
      if (stats?.isDirectory()) {
        if (isWantedFolder(name) && isNew(stats, absolute)) visit(absolute);
      } else if (stats?.isFile() && isInput(name) && isNew(stats, absolute)) {
        files.push({ file: showPath(cwd, absolute), absolute, size: stats.size, named: false });
      }
    }
  };
  for (const input of inputs) {
    if (input === standardInput) {
      if (!files.some(isStandardInput)) {
        files.push({ file: 'stdin', absolute: standardInput, size: 0, named: true });
      }
      continue;
    }
    const absolute = path.resolve(cwd, input);
    const stats = statInput(absolute, input);
    if (!isNew(stats, absolute)) continue;
    if (stats.isDirectory()) visit(absolute);
    else files.push({ file: showPath(cwd, absolute), absolute, size: stats.size, named: true });
  }
  return { files, unreadable: failed };
}

const isInput = (name: string): boolean =>
  wanted.test(name) && !neverInputs.test(name) && !isTest(name) && name !== configFileName;

function statInput(absolute: string, shown: string): Stats {
  try {
    return statSync(absolute);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message =
      code === 'ENOENT' || code === 'ENOTDIR'
        ? 'there is no such file or folder'
        : unreadable(cause).message;
    throw new GovctlError('usage_error', `${shown}: ${message}`, { cause });
  }
}
