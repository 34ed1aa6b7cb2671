import type { Body, LocalDocument } from './kind.ts';
import { headersOf, own } from './webhook-secrets.ts';

/**
 * A document some of whose variables can't be used, with the live values of the headers that name them: what is left
 * to differ is known without them. Where a header was edited itself, its fingerprint is not that of what was applied.
 */
export function assumeLive(local: LocalDocument, live: Body): LocalDocument {
  const names = unsetHeaders(local);
  if (names.length === 0) return local;
  const [headers, liveHeaders] = [headersOf(local.body), headersOf(live)];
  const known = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      names.includes(name) ? (own(liveHeaders, name) ?? value) : value,
    ]),
  );
  return { ...local, body: { ...local.body, headers: known } };
}

/** Why a document can't be compared whole, as the end of a line says it; undefined: it can be. */
export function whyUnknown({ unset = [] }: LocalDocument): string | undefined {
  const faults = new Map(
    unset
      .filter(({ path }) => headerIn(path) !== undefined)
      .map(({ variable, fault }) => [variable, fault]),
  );
  const [fault, ...more] = faults.values();
  if (fault === undefined) return undefined;
  const why =
    more.length === 0
      ? fault
      : `environment variables are not set or invalid (${[...faults.keys()].join(', ')})`;
  return `${why}, so its headers cannot be compared`;
}

const unsetHeaders = ({ unset = [] }: LocalDocument): string[] =>
  unset.flatMap(({ path }) => headerIn(path) ?? []);

/** The secret is in no fingerprint, as no service tells it. */
const headerIn = (path: string): string | undefined =>
  path.startsWith('headers.') ? path.slice('headers.'.length).toLowerCase() : undefined;
