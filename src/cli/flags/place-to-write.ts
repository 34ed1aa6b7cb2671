import { existsSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { leadsOutside, workTreeOf } from '../../project/read/boundary.ts';
import { configFileName } from '../../project/read/discover.ts';
import type { Context } from '../context.ts';

export type Place = { readonly place: string } | { readonly outside: string };

/** Where a command writes from: the working folder, and whether links may lead outside. */
export interface WritesFrom {
  readonly cwd: string;
  readonly allowOutside: boolean;
}

export const writesFrom = ({ world, flags }: Pick<Context, 'world' | 'flags'>): WritesFrom => ({
  cwd: world.cwd,
  allowOutside: flags.allowOutside,
});

/**
 * The real path of a file to write, links followed. It need not exist. A link that stands in a repo is followed within that
 * repo only: who wrote the repo would choose the place. What the user names outside of it is the user's choice.
 * @returns `outside`: where such a link leads
 */
export function findPlace({ cwd, allowOutside }: WritesFrom, file: string): Place {
  const named = path.resolve(cwd, file);
  // Descriptors and terminals: their links lead to what has no path.
  if (/^\/(?:dev|proc)\//.test(named)) return { place: named };
  let outside: string | undefined;
  const place = follow(named, { links: 0 }, (folder, target) => {
    const home = homeOf(folder, cwd);
    if (home !== undefined && !isWithin(home, target)) outside ??= target;
  });
  return outside === undefined || allowOutside ? { place } : { outside };
}

/**
 * The same.
 * @throws GovctlError file_error for a link that leads outside of its repo
 */
export function placeToWrite(from: WritesFrom, file: string): string {
  const found = findPlace(from, file);
  if ('place' in found) return found.place;
  const named = path.resolve(from.cwd, file);
  throw new GovctlError(
    'file_error',
    `${named} was not written: ${leadsOutside(found.outside).message}`,
    { hint: 'Remove the symbolic link, or pass --allow-outside.' },
  );
}

/** Links in all; systems follow no more. */
const mostLinks = 40;

/** The real path of what may not exist. `meet` gets the folder of each link, and what it leads to. */
function follow(
  place: string,
  met: { links: number },
  meet: (folder: string, target: string) => void,
): string {
  const above = path.dirname(place);
  if (above === place) return place;
  const folder = follow(above, met, meet);
  const at = path.join(folder, path.basename(place));
  const target = readLink(at);
  if (target === undefined) return at;
  if (++met.links > mostLinks) {
    throw new GovctlError('file_error', `${place} was not written: too many symbolic links`);
  }
  const real = follow(path.resolve(folder, target), met, meet);
  meet(folder, real);
  return real;
}

/** The repo that a folder is in, as far as links in it may lead; undefined: it is in none. */
function homeOf(folder: string, cwd: string): string | undefined {
  const tree = workTreeOf(folder);
  if (tree !== undefined) return tree;
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, configFileName))) return at;
    if (at === path.dirname(at)) break;
  }
  const here = realpathSync(cwd);
  return isWithin(here, folder) ? here : undefined;
}

const isWithin = (home: string, place: string): boolean =>
  place === home || place.startsWith(home.endsWith(path.sep) ? home : home + path.sep);

function readLink(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined; // no link, or nothing; who writes it says why it can't be written
  }
}
