import type * as z from 'zod';
import { countFindings, describeIssues } from '../../contract/describe-issues.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { WireErrorName } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import { parseForm, parseJson, readBody, uniqueEntries } from './body.ts';

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
      throw new GovctlError('malformed_request', 'This endpoint takes no query parameters', {
        details: [{ field: name.slice(0, 100), message: 'is not a known parameter' }],
      });
    }
    // Of a signed query each part counts as it was sent; a schema would look past one named `__proto__`.
    const parsed = endpoint.signedQuery
      ? given
      : check(query, given, 'malformed_request', 'The query is not valid');
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

/** Body errors of an endpoint have its own `invalid_…`, where it declares one. */
const invalidBodyError = (endpoint: Endpoint): WireErrorName =>
  endpoint.errors.find((name) => name.startsWith('invalid_')) ?? 'malformed_request';

export interface ParsedBody {
  readonly body: unknown;
  /** As sent, to tell repeated requests apart. */
  readonly text: string;
}

export async function parseBody(
  endpoint: Endpoint,
  request: Request,
  within?: number,
): Promise<ParsedBody> {
  const { text, type } = await readBody(request, endpoint, within);
  const given = type === 'application/x-www-form-urlencoded' ? parseForm(text) : parseJson(text);
  const body =
    endpoint.body &&
    check(endpoint.body, given, invalidBodyError(endpoint), 'The body is not valid');
  return { body, text };
}

function check(schema: z.ZodType, given: unknown, error: WireErrorName, what: string): unknown {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const details = describeIssues(schema, given, parsed.error.issues);
  const [first] = details;
  const said = first ? `${what}: ${first.field || 'it'} ${first.message}` : what;
  const count = countFindings(parsed.error.issues);
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  throw new GovctlError(error, said + more, { details });
}
