import { isFields } from '../../inventory/json.ts';
import { canonicalText } from '../../inventory/canonical-text.ts';
import { UnknownAttributes, capturedAt, providerOf, typeKey } from '../../contract/resources.ts';
import { hashId } from '../../project/check/id-set.ts';

/** Why a resource is not sent. */
interface Refusal {
  readonly id: string;
  readonly reason: string;
}

/** A file is evidence that a resource is gone only if it has others of its type, account and region. */
export interface Placed {
  readonly type: string;
  readonly account_id?: string | undefined;
  readonly region?: string | undefined;
}

export interface Sent {
  /**
   * Remembers a line. `new` is to be sent, also what is no resource: the service refuses it. `same` was sent before;
   * a line with other content under an ID that was sent can't be.
   * @param isPart whether the file contains a part of an account: then it is no evidence that other resources are gone
   */
  readonly add: (line: string, place: string, isPart: boolean) => 'new' | 'same' | Refusal;
  readonly has: (id: string) => boolean;
  /** Each type, account and region of what was sent in whole lists, as far as they are known. */
  readonly scopes: ReadonlyMap<string, Placed>;
  /**
   * When the newest of what was sent of a type, account and region was captured, in milliseconds since 1970: what was
   * captured later can't be missed in the files. Undefined where none of it tells.
   */
  readonly newestOf: (placed: Placed) => number | undefined;
  /** The types of resources of whole lists of which they are not. */
  readonly unplaced: ReadonlySet<string>;
  /** The number of resources of which others of their account may be missing. */
  readonly ofParts: () => number;
  /** The number of lines that are no resources. */
  readonly unread: () => number;
}

export const scopeKey = ({ type, account_id: account, region }: Placed): string =>
  JSON.stringify([typeKey(type), account, region]);

/** Whether the account or region of a resource is not known, as those of a template: it may be one of many. */
export const isUnplaced = ({ _unknown: unknown }: Readonly<Record<string, unknown>>): boolean =>
  (UnknownAttributes.safeParse(unknown).data ?? []).some(
    ({ path: [first, ...below] }) =>
      below.length === 0 && (first === 'account_id' || first === 'region'),
  );

/** Remembers what one command has sent, as the inventory has one resource per ID. */
export function createSent(): Sent {
  const sent = new Map<string, { readonly content: string; readonly place: string }>();
  const scopes = new Map<string, Placed>();
  const newest = new Map<string, number>();
  let unread = 0;
  const unplaced = new Set<string>();
  let ofParts = 0;
  return {
    has: (id) => sent.has(id),
    scopes,
    newestOf: (placed) => newest.get(scopeKey(placed)),
    unplaced,
    ofParts: () => ofParts,
    unread: () => unread,
    add(line, place, isPart) {
      const resource = parse(line);
      if (!isFields(resource) || typeof resource['id'] !== 'string') {
        if (line.trim() !== '') unread += 1;
        return 'new';
      }
      const { id, type } = resource;
      if (isPart) ofParts += 1;
      else if (isUnplaced(resource)) unplaced.add(String(type));
      else if (typeof type === 'string') {
        const placed = { type, account_id: textOf(resource['account_id']), region: textOf(resource['region']) }; // prettier-ignore
        const key = scopeKey(placed);
        if (!scopes.has(key)) scopes.set(key, placed);
        const captured = capturedAt(resource) ?? -Infinity;
        if (captured > (newest.get(key) ?? -Infinity)) newest.set(key, captured);
      } else unread += 1;
      const content = contentOf(resource);
      const before = sent.get(id);
      if (!before) {
        sent.set(id, { content, place });
        return 'new';
      }
      return before.content === content
        ? 'same'
        : { id, reason: `same ID as ${before.place}, but different content` };
    },
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the service says what is wrong with it
  }
}

/** The content of a stored resource: with its provider, and without what only lists add. */
function contentOf({ _meta, ...own }: Readonly<Record<string, unknown>>): string {
  const { type } = own;
  const provider = typeof type === 'string' ? providerOf(type) : undefined;
  return hashId(canonicalText({ provider, ...own })).join();
}
