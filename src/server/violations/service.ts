import { readAge } from '../../contract/age.ts';
import type { ViolationFilter } from '../../contract/violations.ts';
import { frameworkKey, labelKey, splitLabel } from '../../engine/labels.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { nextTurn } from '../next-turn.ts';
import { allPages } from '../store/all-rows.ts';
import type { CollectionSpec, Document, Page, PageQuery, Reader } from '../store/store.ts';
import { violationFilters, violations } from './collection.ts';
import type { StoredViolation } from './collection.ts';

const day = 86_400_000;

/** Filters without an index: one for all tags and labels of each violation would cost every write more than they cost a reader. */
const siftedFields = ['framework', 'owner', 'tag', 'without', 'age', 'text'] as const;

export const siftedFilters = (filter: ViolationFilter): Filters => anyOf(filter, siftedFields);

/** What a filter depends on besides the violation. */
interface SiftBy {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly ownerTags: readonly string[];
}

/** Whether a violation passes the filters that have no index. Undefined: there are none. */
export function createSift(
  { framework, owner, tag, without, age, text }: ViolationFilter,
  { now, ownerTags }: SiftBy,
): ((violation: StoredViolation) => boolean) | undefined {
  const checks: ((violation: StoredViolation) => boolean)[] = [];
  if (age !== undefined) {
    const range = readAge(age);
    checks.push((violation) => {
      const days = ageOf(violation, now) / day;
      return range !== undefined && Math.floor(days) >= range.from && Math.floor(days) <= range.to;
    });
  }
  if (owner) {
    const owners = new Set(owner);
    checks.push(({ tags }) => owners.has(ownerOf(tags, ownerTags) ?? ''));
  }
  if (tag) checks.push(({ tags }) => tag.every((one) => hasTag(tags, one)));
  for (const field of without ?? []) {
    const valueOf = valueBy(field, ownerTags);
    checks.push(
      field === 'framework'
        ? ({ compliance_frameworks: labels }) => labels.length === 0
        : (violation) => valueOf(violation) === undefined,
    );
  }
  if (framework) {
    const keys = new Set(framework.map(labelKey));
    const isAsked = memoized(
      (label) => keys.has(labelKey(label)) || keys.has(frameworkKey(splitLabel(label).framework)),
    );
    checks.push(({ compliance_frameworks: labels }) => labels.some(isAsked));
  }
  if (text !== undefined) {
    const searched = text.toLowerCase();
    checks.push((violation) => says(violation, searched));
  }
  if (checks.length === 0) return undefined;
  return (violation) => checks.every((check) => check(violation));
}

/** Milliseconds; a clock that was set back makes none negative. */
export const ageOf = ({ detected_at }: StoredViolation, now: number): number =>
  Math.max(0, now - Date.parse(detected_at));

type Tags = StoredViolation['tags'];

/** The value of the first of the owner tags that a resource has, in any case. */
export function ownerOf(tags: Tags, ownerTags: readonly string[]): string | undefined {
  for (const name of ownerTags) {
    const lower = name.toLowerCase();
    for (const key in tags) {
      if (key.length === name.length && key.toLowerCase() === lower && tags[key]) return tags[key];
    }
  }
  return undefined;
}

/** @param tag `key`, or `key=value` */
function hasTag(tags: Tags, tag: string): boolean {
  if (Object.hasOwn(tags, tag)) return true;
  for (let at = tag.indexOf('='); at >= 0; at = tag.indexOf('=', at + 1)) {
    const key = tag.slice(0, at);
    if (Object.hasOwn(tags, key) && tags[key] === tag.slice(at + 1)) return true;
  }
  return false;
}

/** The value of a violation that it is grouped by, or lacks. @param field of `violationGroups` with one value, or `tag:KEY` */
export function valueBy(
  field: string,
  ownerTags: readonly string[],
): (violation: StoredViolation) => string | undefined {
  if (field.startsWith('tag:')) {
    const name = field.slice('tag:'.length);
    return ({ tags }) => (Object.hasOwn(tags, name) ? tags[name] : undefined);
  }
  switch (field) {
    case 'owner':
      return ({ tags }) => ownerOf(tags, ownerTags);
    case 'severity':
      return ({ severity }) => severity;
    case 'account':
      return ({ account_id }) => account_id;
    case 'environment':
      return ({ environment }) => environment;
    case 'region':
      return ({ region }) => region;
    default:
      return ({ resource_type }) => resource_type;
  }
}

/** Very many violations have the same few labels. */
export function memoized<R>(of: (label: string) => R): (label: string) => R {
  const known = new Map<string, R>();
  return (label) => {
    const found = known.get(label);
    if (found !== undefined) return found;
    const value = of(label);
    known.set(label, value);
    return value;
  };
}

/** @param text in lower case; of an ID its beginning: random letters inside one say nothing */
const says = (violation: StoredViolation, text: string): boolean =>
  [
    violation.resource_id,
    violation.resource_name,
    violation.policy_name,
    violation.message,
    violation.resource_type,
  ].some((field) => field?.toLowerCase().includes(text)) ||
  (text.startsWith('viol_') && violation.id.startsWith(text));

/** Characters of messages and tags that are looked at between two turns of others: a few milliseconds. */
const charactersPerTurn = 1 << 20;

/** Rows without an index to find them by are looked at one after the other: this says when it is others' turn. */
function createPace(): (violation: StoredViolation) => Promise<void> | undefined {
  let looked = 0;
  return ({ message, tags, compliance_frameworks }) => {
    looked += 200 + message.length;
    looked += 50 * (compliance_frameworks.length + Object.keys(tags).length);
    if (looked < charactersPerTurn) return undefined;
    looked = 0;
    return nextTurn();
  };
}

/** `signal` ends it. */
export interface MatchBy extends SiftBy {
  readonly signal: AbortSignal;
}

/** All violations that pass a filter, in the order of their ids; others have their turn in between. */
export async function* matching(
  reader: Reader,
  filter: ViolationFilter,
  by: MatchBy,
): AsyncGenerator<StoredViolation> {
  const passes = createSift(filter, by);
  const pace = createPace();
  const query = { where: violationFilters(filter), orderBy: 'id', direction: 'asc' } as const;
  for await (const rows of allPages(reader, violations, query)) {
    by.signal.throwIfAborted();
    for (const { doc } of rows) {
      const turn = pace(doc);
      if (turn) await turn;
      if (!passes || passes(doc)) yield doc;
    }
  }
}

/** A reader whose pages have only the violations that pass, and count only these. */
export const siftingReader = (
  reader: Reader,
  passes: (violation: StoredViolation) => boolean,
  signal: AbortSignal,
): Pick<Reader, 'page'> => ({
  page: async <T extends Document>(collection: CollectionSpec<T>, query: PageQuery) =>
    // Its pages are of violations only.
    (await siftPage(reader, query, { passes, signal })) as Page<Document> as Page<T>,
});

async function siftPage(
  reader: Reader,
  { where, orderBy, direction, limit, after, offset = 0 }: PageQuery,
  {
    passes,
    signal,
  }: {
    readonly passes: (violation: StoredViolation) => boolean;
    readonly signal: AbortSignal;
  },
): Promise<Page<StoredViolation>> {
  const pace = createPace();
  const query = { ...(where ? { where } : {}), orderBy, direction };
  const rows: Page<StoredViolation>['rows'][number][] = [];
  /** @returns how many pass, all those after a place */
  const walk = async (
    from: PageQuery['after'],
    take: (row: (typeof rows)[number], at: number) => boolean,
  ): Promise<number> => {
    let seen = 0;
    for await (const page of allPages(reader, violations, {
      ...query,
      ...(from && { after: from }),
    })) {
      signal.throwIfAborted();
      for (const row of page) {
        const turn = pace(row.doc);
        if (turn) await turn;
        if (passes(row.doc) && !take(row, seen++)) return seen;
      }
    }
    return seen;
  };
  const enough = (row: (typeof rows)[number], at: number): boolean => {
    if (at >= offset && rows.length <= limit) rows.push(row);
    return after === undefined || rows.length <= limit;
  };
  const counted = await walk(after, enough);
  const total = after ? await walk(undefined, () => true) : counted;
  const hasMore = rows.length > limit;
  const shown = rows.slice(0, limit);
  const last = shown.at(-1)?.doc;
  return {
    rows: shown,
    total,
    hasMore,
    ...(last && { last: { value: violations.order?.[orderBy]?.(last) ?? null, id: last.id } }),
  };
}
