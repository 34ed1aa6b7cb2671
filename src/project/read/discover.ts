import { lstatSync, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Dirent, Stats } from 'node:fs';
import path from 'node:path';
import ignore from 'ignore';
import { GovctlError } from '../../contract/errors.ts';
import type { Problem } from '../model.ts';
import { leadsOutside } from './boundary.ts';
import type { Boundary } from './boundary.ts';
import { unreadable } from './read-text.ts';
import type { Finding } from './source.ts';
import { takingTurns } from './turns.ts';

export const configFileName = 'govctl.yaml';
const ignoreFileName = '.govctlignore';

export interface FoundFile {
  /** As the user would type it: relative to the working folder. */
  readonly file: string;
  readonly absolute: string;
  /** Bytes. */
  readonly size: number;
}

interface Discovery {
  /** In order of path. */
  readonly files: readonly FoundFile[];
  readonly problems: readonly Problem[];
}

const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name);

/** Where a search begins, absolute. */
export interface Start {
  readonly path: string;
  /** By the user; else a file of the repo names it. */
  readonly typed: boolean;
}

/** Entries of folders between two turns: some milliseconds. */
const entriesBetweenTurns = 200;

/**
 * The policy files under `starts`: `*.yaml` and `*.yml`, but for govctl.yaml, dot-folders, node_modules and
 * what `.govctlignore` in `root` names. A file that is itself one of `starts` is taken whatever its name. A file or
 * folder that is reached twice, as by links, is taken once; what leads outside is a problem.
 * @throws GovctlError usage_error for a path that does not exist, interrupted
 */
export async function discoverFiles(
  cwd: string,
  root: string,
  starts: readonly Start[],
  boundary: Boundary,
  signal?: AbortSignal,
): Promise<Discovery> {
  const files: FoundFile[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const turn = takingTurns(entriesBetweenTurns, signal);
  const isIgnored = readIgnoreRules(root, boundary);
  const shown = (absolute: string): string => showPath(cwd, absolute);

  // Device and inode name a file however it is reached, without resolving each path.
  const isNew = (stats: Stats): boolean => {
    const identity = `${stats.dev}:${stats.ino}`;
    return stats.ino === 0 || (!seen.has(identity) && seen.add(identity) !== undefined);
  };
  const add = (absolute: string, stats: Stats): void => {
    if (isNew(stats)) files.push({ file: shown(absolute), absolute, size: stats.size });
  };
  const fail = (absolute: string, finding: Finding): void => {
    problems.push({
      level: 'error',
      ...finding,
      file: shown(absolute),
      line: 1,
      column: 1,
    } as Problem);
  };

  const visit = async (folder: string): Promise<void> => {
    let entries: Dirent[];
    try {
      entries = await readdir(folder, { withFileTypes: true });
    } catch (error) {
      fail(folder, unreadable(error));
      return;
    }
    for (const entry of entries) {
      await turn();
      const absolute = folder + path.sep + entry.name;
      const maybeFolder = entry.isDirectory() || entry.isSymbolicLink();
      const wanted = isYaml(entry.name) && entry.name !== configFileName;
      if (!wanted && !(maybeFolder && isWantedFolder(entry.name))) continue;
      const stats = statOf(absolute);
      if (stats instanceof Error) {
        // Documents in a folder that is passed over would seem to be gone.
        if ((wanted || isLikelyFolder(entry)) && !isIgnored(absolute, entry.isDirectory())) {
          fail(absolute, unreadable(stats));
        }
        continue;
      }
      const isFolder = stats.isDirectory();
      if (isFolder ? !isWantedFolder(entry.name) : !wanted) continue;
      if (isIgnored(absolute, isFolder)) continue;
      const target = entry.isSymbolicLink() ? boundary.outside(absolute) : undefined;
      if (target !== undefined) fail(absolute, leadsOutside(target));
      else if (isFolder) {
        if (isNew(stats)) await visit(absolute);
      } else if (stats.isFile()) add(absolute, stats);
    }
  };

  for (const { path: start, typed } of starts) {
    const stats = statStart(start, shown(start));
    const target = typed ? undefined : boundary.outside(start);
    if (target !== undefined) fail(start, leadsOutside(target));
    else if (stats.isDirectory()) {
      if (isNew(stats)) await visit(path.resolve(start));
    } else if (!stats.isFile()) {
      // Reading a pipe or a device could wait for ever.
      throw new GovctlError('usage_error', `${shown(start)} is neither a file nor a directory`, {
        hint: 'Pass a YAML file or a directory.',
      });
    } else if (path.basename(start) !== configFileName) {
      add(start, stats);
    }
  }
  files.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  return { files, problems };
}

function statOf(absolute: string): Stats | Error {
  try {
    return statSync(absolute);
  } catch (error) {
    return error as Error; // of the file system
  }
}

/** Relative to the working folder, with forward slashes; absolute where that would climb far out of it. */
export function showPath(cwd: string, absolute: string): string {
  const relative = path.relative(cwd, absolute);
  const text = relative === '' ? '.' : relative.startsWith('../../../') ? absolute : relative;
  return path.sep === '/' ? text : text.replaceAll(path.sep, '/');
}

export const isWantedFolder = (name: string): boolean =>
  !name.startsWith('.') && name !== 'node_modules';

/** Of a folder or a link: a link without an extension is one to a folder. */
export const isLikelyFolder = (entry: Dirent): boolean =>
  entry.isDirectory() || path.extname(entry.name) === '';

function statStart(start: string, shown: string): Stats {
  try {
    return statSync(start);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new GovctlError('usage_error', `${shown}: no such file or directory`, {
        hint: 'Check the path. Paths in govctl.yaml are relative to its directory.',
        cause: error,
      });
    }
    throw new GovctlError('usage_error', `${shown}: ${unreadable(error).message}`, {
      cause: error,
    });
  }
}

/** Paths outside of `root` can't be named by its ignore file. */
function readIgnoreRules(
  root: string,
  boundary: Boundary,
): (absolute: string, isFolder: boolean) => boolean {
  const file = path.join(root, ignoreFileName);
  let text: string;
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return () => false;
    if (!stats.isFile()) throw new Error('the path is not a file');
    const target = lstatSync(file).isSymbolicLink() ? boundary.outside(file) : undefined;
    if (target !== undefined) throw new Error(leadsOutside(target).message);
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new GovctlError(
      'invalid_file',
      `${ignoreFileName} cannot be read: ${(cause as Error).message}`,
      {
        cause,
        hint: 'Repair or remove the file. Without it, ignored files would be read as policies.',
      },
    );
  }
  const rules = ignore().add(text);
  return (absolute, isFolder) => {
    const relative = path.relative(root, absolute).replaceAll(path.sep, '/');
    if (relative === '' || relative.startsWith('../') || path.isAbsolute(relative)) return false;
    return rules.ignores(isFolder ? `${relative}/` : relative);
  };
}
