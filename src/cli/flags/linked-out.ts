import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import type { Boundary } from '../../project/read/boundary.ts';
import { createBoundary, leadsOutside } from '../../project/read/boundary.ts';

/**
 * Refuses to write where a link in the repo leads outside of it: whoever wrote the repo would choose the place. What the
 * user names outside of the repo is the user's choice.
 * @param folder in the repo
 * @param file relative to it, or absolute; it need not exist
 * @throws GovctlError file_error
 */
export function refuseLinkedOut(folder: string, file: string, allowOutside: boolean): void {
  const boundary = createBoundary(folder, [], allowOutside);
  let place = path.resolve(folder, file);
  for (let above = path.dirname(place); above !== place; above = path.dirname(place)) {
    const target = targetOf(boundary, place);
    if (target !== undefined && boundary.outside(above) === undefined) {
      const why = leadsOutside(target).message;
      throw new GovctlError('file_error', `${place} is not written: ${why}`, {
        hint: 'Remove the link, or pass --allow-outside.',
      });
    }
    place = above;
  }
}

/** Where a file or a link is, if that is outside; also that of a link to what is not there yet, but would be made. */
function targetOf(boundary: Boundary, place: string): string | undefined {
  if (realPathOf(place) !== undefined) return boundary.outside(place);
  const target = followed(place);
  if (target === undefined) return undefined;
  let there = target;
  while (realPathOf(there) === undefined) there = path.dirname(there);
  return boundary.outside(there) === undefined ? undefined : target;
}

/** Links in a row; systems follow no more. */
const mostLinks = 40;

/** The end of a row of links; undefined: it is none. */
function followed(link: string): string | undefined {
  let at: string | undefined;
  for (let links = 0; links < mostLinks; links++) {
    const next = readLink(at ?? link);
    if (next === undefined) return at;
    at = next;
  }
  return at;
}

function readLink(link: string): string | undefined {
  try {
    return path.resolve(path.dirname(link), readlinkSync(link));
  } catch {
    return undefined; // no link, or nothing
  }
}

function realPathOf(place: string): string | undefined {
  try {
    return realpathSync(place);
  } catch {
    return undefined; // who writes it says why it can't be written
  }
}
