import type { Endpoint } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import { checkInput } from './bodies/check-body.ts';
import { uniqueEntries } from './bodies/read-form.ts';

/** Parsed queries that are kept, so that a list that is asked for again and again is parsed once. */
const queriesKept = 64;
const longestQueryKept = 512;

/** @returns from the part of a URL behind `?` to the endpoint's query */
export function createQueryParser(endpoint: Endpoint): (search: string) => unknown {
  const { query } = endpoint;
  const kept = new Map<string, unknown>();
  return (search) => {
    const known = kept.get(search);
    if (known !== undefined) return known;
    if (search === '' && !query) return undefined;
    const entries = new URLSearchParams(search);
    const given = endpoint.signedQuery
      ? joinedEntries(entries)
      : uniqueEntries(entries, 'The query');
    if (!query) {
      const [name] = Object.keys(given);
      if (name === undefined) return undefined;
      throw new GovctlError('malformed_request', 'This endpoint has no query parameters', {
        details: [{ field: name.slice(0, 100), message: 'is not a known parameter' }],
      });
    }
    // Of a signed query each part counts as it was sent; a schema would look past one named `__proto__`.
    const parsed = endpoint.signedQuery
      ? given
      : checkInput(query, given, 'malformed_request', 'The query is not valid');
    // Below a path with an id, one query is asked of many lists: what paging keeps for it must not be of another.
    if (search.length <= longestQueryKept && !endpoint.params) {
      if (kept.size >= queriesKept) kept.clear();
      kept.set(search, parsed);
    }
    return parsed;
  };
}

const joinedEntries = (entries: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...entries.keys()].map((name) => [name, entries.getAll(name).join(',')]));
