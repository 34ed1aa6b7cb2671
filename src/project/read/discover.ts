import { readFileSync, readdirSync, statSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import path from 'node:path';
import ignore from 'ignore';
import { GovctlError } from '../../contract/errors.ts';
import type { Problem } from '../model.ts';
import { unreadable } from './read-text.ts';

export const configFileName = 'govctl.yaml';
const ignoreFileName = '.govctlignore';

interface FoundFile {
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

/**
 * The policy files under `paths` (absolute): `*.yaml` and `*.yml`, but for govctl.yaml, dot-folders, node_modules and
 * what `.govctlignore` in `root` names. A file that is itself one of `paths` is taken whatever its name. A file or
 * folder that is reached twice, as by links, is taken once.
 * @throws GovctlError usage_error for a path that does not exist
 */
export function discoverFiles(cwd: string, root: string, paths: readonly string[]): Discovery {
  const files: FoundFile[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const isIgnored = readIgnoreRules(root);
  const shown = (absolute: string): string => showPath(cwd, absolute);

  // Device and inode name a file however it is reached, without resolving each path.
  const isNew = (stats: Stats): boolean => {
    const identity = `${stats.dev}:${stats.ino}`;
    return stats.ino === 0 || (!seen.has(identity) && seen.add(identity) !== undefined);
  };
  const add = (absolute: string, stats: Stats): void => {
    if (isNew(stats)) files.push({ file: shown(absolute), absolute, size: stats.size });
  };
  const fail = (absolute: string, error: unknown): void => {
    problems.push({
      level: 'error',
      ...unreadable(error),
      file: shown(absolute),
      line: 1,
      column: 1,
    } as Problem);
  };

  const visit = (folder: string): void => {
    let entries: Dirent[];
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      fail(folder, error);
      return;
    }
    for (const entry of entries) {
      const absolute = folder + path.sep + entry.name;
      const maybeFolder = entry.isDirectory() || entry.isSymbolicLink();
      const wanted = isYaml(entry.name) && entry.name !== configFileName;
      if (!wanted && !(maybeFolder && isWantedFolder(entry.name))) continue;
      try {
        const stats = statSync(absolute);
        if (stats.isDirectory()) {
          if (isWantedFolder(entry.name) && !isIgnored(absolute, true) && isNew(stats))
            visit(absolute);
        } else if (wanted && stats.isFile() && !isIgnored(absolute, false)) {
          add(absolute, stats);
        }
      } catch (error) {
        if (wanted && !isIgnored(absolute, false)) fail(absolute, error);
      }
    }
  };

  for (const start of paths) {
    const stats = statStart(start, shown(start));
    if (stats.isDirectory()) {
      if (isNew(stats)) visit(path.resolve(start));
    } else if (!stats.isFile()) {
      // Reading a pipe or a device could wait for ever.
      throw new GovctlError('usage_error', `${shown(start)} is neither a file nor a folder`, {
        hint: 'Name a YAML file, or a folder of them.',
      });
    } else if (path.basename(start) !== configFileName) {
      add(start, stats);
    }
  }
  files.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  return { files, problems };
}

/** Relative to the working folder, with forward slashes; absolute where that would climb far out of it. */
export function showPath(cwd: string, absolute: string): string {
  const relative = path.relative(cwd, absolute);
  const text = relative === '' ? '.' : relative.startsWith('../../../') ? absolute : relative;
  return path.sep === '/' ? text : text.replaceAll(path.sep, '/');
}

const isWantedFolder = (name: string): boolean => !name.startsWith('.') && name !== 'node_modules';

function statStart(start: string, shown: string): Stats {
  try {
    return statSync(start);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new GovctlError('usage_error', `${shown}: there is no such file or folder`, {
        hint: 'Check the path; paths in govctl.yaml are relative to the folder it stands in.',
        cause: error,
      });
    }
    throw new GovctlError('usage_error', `${shown}: ${unreadable(error).message}`, {
      cause: error,
    });
  }
}

/** Paths outside of `root` can't be named by its ignore file. */
function readIgnoreRules(root: string): (absolute: string, isFolder: boolean) => boolean {
  const file = path.join(root, ignoreFileName);
  let text: string;
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats) return () => false;
    if (!stats.isFile()) throw new Error('it is not a file');
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new GovctlError(
      'invalid_file',
      `${ignoreFileName} can not be read: ${(cause as Error).message}`,
      { cause, hint: 'Repair or remove it: what it names would be taken for policies without it.' },
    );
  }
  const rules = ignore().add(text);
  return (absolute, isFolder) => {
    const relative = path.relative(root, absolute).replaceAll(path.sep, '/');
    if (relative === '' || relative.startsWith('../') || path.isAbsolute(relative)) return false;
    return rules.ignores(isFolder ? `${relative}/` : relative);
  };
}
