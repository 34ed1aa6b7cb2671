import { existsSync, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from './source.ts';

/**
 * How far links and paths that somebody wrote into a repo may lead: into the git work tree, else the folder, of the repo
 * itself and of what the user typed.
 */
export interface Boundary {
  /** Where a link or a path leads, if that is outside; undefined where it may be read, or leads nowhere. */
  outside(absolute: string): string | undefined;
}

/** What commands take to read across it. */
const flag = '--allow-outside';

const everything: Boundary = { outside: () => undefined };

/**
 * @param root the folder of govctl.yaml, else the working folder
 * @param typed files and folders that the user typed, absolute
 * @param allowOutside nothing is outside
 */
export function createBoundary(
  root: string,
  typed: readonly string[],
  allowOutside = false,
): Boundary {
  if (allowOutside) return everything;
  const homes = new Set<string>();
  for (const start of [root, ...typed]) {
    const real = realPath(start);
    if (real === undefined) continue;
    const folder = isFolder(real) ? real : path.dirname(real);
    homes.add(workTreeOf(folder) ?? folder);
  }
  const isInside = (real: string): boolean =>
    [...homes].some((home) => real === home || real.startsWith(withSeparator(home)));
  return {
    outside(absolute) {
      const real = realPath(absolute);
      return real === undefined || isInside(real) ? undefined : real;
    },
  };
}

/** The nearest folder that holds `.git`, from `folder` upwards. */
export function workTreeOf(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

const withSeparator = (folder: string): string =>
  folder.endsWith(path.sep) ? folder : folder + path.sep;

const isFolder = (real: string): boolean =>
  lstatSync(real, { throwIfNoEntry: false })?.isDirectory() === true;

function realPath(absolute: string): string | undefined {
  try {
    return realpathSync(absolute);
  } catch {
    return undefined; // who reads it says why it can't be read
  }
}

/** The finding for a file or directory that leads to `target`. */
export const leadsOutside = (target: string): Finding => ({
  code: 'outside',
  message: `the path leads to ${target}, outside the repo`,
  hint: `Move the target into the repo, or pass ${flag}.`,
});
