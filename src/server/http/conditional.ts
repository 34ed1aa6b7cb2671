import { GovctlError } from '../../contract/errors.ts';

export const etagOf = (revision: number): string => `"${revision}"`;

const tags = (header: string): string[] => header.split(',').map((tag) => tag.trim());

/**
 * RFC 9110 section 13.1.1: `*` or a list of strong tags; a weak tag never matches.
 * @throws GovctlError precondition_failed
 */
export function checkMatch(header: string | null, revision: number): void {
  if (header === null || header.trim() === '*') return;
  const current = etagOf(revision);
  if (tags(header).includes(current)) return;
  throw new GovctlError(
    'precondition_failed',
    `The object has changed: its ETag is ${current}, but If-Match is ${header.slice(0, 100)}; read the object again first`,
    { headers: { ETag: current } },
  );
}

/** RFC 9110 section 13.1.2: whether a reader already has this revision; weak tags match, too. */
export function isKnown(header: string | null, revision: number): boolean {
  if (header === null) return false;
  return (
    header.trim() === '*' ||
    tags(header).some((tag) => tag.replace(/^W\//, '') === etagOf(revision))
  );
}
