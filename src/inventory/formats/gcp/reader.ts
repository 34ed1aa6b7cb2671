import { UnknownValue } from '../../../contract/resources.ts';
import { isUnknown, readJson } from '../../attributes/values.ts';
import { canonicalText, withoutCopies } from '../../canonical-text.ts';
import { field, isFields, isFilled, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { DocumentPath, Merged, RawResource, Reader } from '../../model.ts';
import { listAnswer } from './api-lists.ts';
import { toRawResource } from './asset.ts';
import type { Asset } from './asset.ts';
import { assetType } from './types.ts';

/**
 * Exports of Cloud Asset Inventory: lists, single assets, lines, and lists of these; and lists as Google's APIs answer
 * with them.
 */
export const gcp: Reader = {
  format: 'gcp-assets',
  detects: (document) =>
    assetsOf(document).some(({ value }) => isAsset(value)) || listAnswer(document) !== undefined,
  read: (document, { isJoined }) => {
    const answer = listAnswer(document);
    if (answer) {
      const assets = answer.assets.map((one) => ({
        ...one,
        beside: { ...notExported, ...one.beside },
      }));
      const distinct = withoutCopies(
        assets,
        ({ type, name }) => JSON.stringify([type, name]),
        ({ data }) => data,
      );
      return { raws: distinct.map(toRawResource), problems: answer.problems };
    }
    const found = assetsOf(document).flatMap(splitAccess);
    return {
      raws: joinAssets(found).map(toRawResource),
      // One that stands alone, in the document or in one of those that are joined.
      isPart: found.some(({ at }) => at.length === (isJoined ? 1 : 0)),
      problems: found.flatMap(({ value, at }) =>
        isAsset(value) ? [] : [{ message: 'an asset needs a name and an asset_type', at }],
      ),
    };
  },
  links: (document) =>
    listAnswer(document)
      ? []
      : assetsOf(document).flatMap(({ value }) => (isAsset(value) ? [keyOf(value)] : [])),
};

interface Found {
  readonly value: unknown;
  readonly at: DocumentPath;
}

/** The assets of an export: a list, `{assets: [...]}`, the results of a search, or one alone. */
function assetsOf(document: unknown, at: DocumentPath = []): Found[] {
  if (isAsset(document)) return [{ value: document, at }];
  const lists = ['assets', 'results'].flatMap((name) => {
    const list = field(document, name);
    return Array.isArray(list) ? [{ name, list: itemsOf(list) }] : [];
  });
  if (lists.length > 0) {
    return lists.flatMap(({ name, list }) =>
      list.map((value, index) => ({ value, at: [...at, name, index] })),
    );
  }
  return Array.isArray(document)
    ? itemsOf(document).flatMap((value, index) => assetsOf(value, [...at, index]))
    : [{ value: document, at }];
}

const isAsset = (value: unknown): value is Fields =>
  isFields(value) && typeOf(value) !== undefined && textOf(field(value, 'name')) !== undefined;

const keyOf = (asset: Fields): string => JSON.stringify([typeOf(asset), asset['name']]);

const typeOf = (asset: Fields): string | undefined =>
  textOf(asset['asset_type']) ?? textOf(asset['assetType']);

/** Policies, levels and perimeters as assets of their own, as exports of resources have them. */
function splitAccess({ value, at }: Found): Found[] {
  if (!isAsset(value)) return [{ value, at }];
  const parts = accessTypes.flatMap(([camel, snake, type]) => {
    const data = firstOf([value], camel) ?? firstOf([value], snake);
    if (data === undefined) return [];
    const path = textOf(field(data, 'name'));
    const name =
      path === undefined ? value['name'] : `//accesscontextmanager.googleapis.com/${path}`;
    const { ancestors } = value;
    const asset_type = `accesscontextmanager.googleapis.com/${type}`;
    return [{ value: { name, asset_type, ancestors, resource: { data } }, at }];
  });
  return parts.length > 0 && contentsOf({ value, at }).size === 0
    ? parts
    : [{ value, at }, ...parts];
}

/** What exports put beside an asset, one kind in each export, as it is called in `properties`. */
const contents = {
  iamPolicy: 'iam_policy',
  orgPolicy: 'org_policy',
  v2OrgPolicies: 'v2_org_policies',
} as const;

/** Exports of access policies write the organisation's name and type, and put what they are about beside. */
const accessTypes = [
  ['accessPolicy', 'access_policy', 'AccessPolicy'],
  ['accessLevel', 'access_level', 'AccessLevel'],
  ['servicePerimeter', 'service_perimeter', 'ServicePerimeter'],
] as const;

/** IAM policies are an export of their own; where it isn't at hand, nobody can say that there are none. */
const notExported: Fields = {
  iamPolicy: new UnknownValue('the IAM policy, which is not in the export', { present: false }),
};

const unreadablePolicy = new UnknownValue('the IAM policy, which is not as Google writes one', {
  present: false,
});

/** What an IAM policy has beside its bindings, as the APIs and exports write it. */
const besideBindings = ['version', 'etag', 'kind', 'resourceId', 'auditConfigs', 'audit_configs'];

/**
 * A policy without bindings grants nothing to anybody; an asset without a policy has none. Of other fields, and of
 * bindings that are no such, nobody can say what they grant.
 */
function isReadablePolicy(policy: unknown): boolean {
  if (policy === undefined) return true;
  if (!isFields(policy)) return false;
  const { bindings = [], ...others } = policy;
  return (
    Array.isArray(bindings) &&
    itemsOf(bindings).every(isReadableBinding) &&
    Object.keys(others).every((name) => besideBindings.includes(name))
  );
}

const isReadableBinding = (binding: unknown): boolean =>
  isFields(binding) &&
  [binding['members'] ?? []].flat().every((member) => typeof member === 'string');

interface Entry {
  readonly value: Fields;
  readonly at: DocumentPath;
}

/** An asset stands once in each export (resources, IAM policies, …): what they say of it is merged. */
function joinAssets(found: readonly Found[]): Asset[] {
  const byName = new Map<string, Entry[]>();
  for (const { value, at } of found) {
    if (!isAsset(value)) continue;
    const key = keyOf(value);
    const same = byName.get(key);
    if (same) same.push({ value, at });
    else byName.set(key, [{ value, at }]);
  }
  const entriesOfAssets = [...byName.values()];
  const exported = new Set(entriesOfAssets.filter(hasPolicy).map(containerOf));
  return entriesOfAssets
    .flatMap(tellApart)
    .map(({ entries, disputed }) =>
      mergeEntries(
        withResourceFirst(entries),
        exported.has(containerOf(entries)) && !disputed.has('iamPolicy'),
      ),
    );
}

const policyOf = (fields: readonly Fields[]): unknown =>
  firstOf(fields, 'iamPolicy') ?? firstOf(fields, contents.iamPolicy);

const hasPolicy = (entries: readonly Entry[]): boolean =>
  policyOf(entries.map(({ value }) => value)) !== undefined;

/**
 * The project that an asset is in, or the folder or organization: their IAM policies may be exported one by one. Exports
 * without ancestors tell it by names only, which those of buckets and others don't.
 */
function containerOf(entries: readonly Entry[]): string | undefined {
  const ancestors = entries.flatMap(({ value }) => {
    const list = value['ancestors'];
    return Array.isArray(list) ? itemsOf(list) : [];
  });
  if (ancestors.length > 0) return textOf(ancestors[0]);
  const name = textOf(entries[0]?.value['name']);
  return (
    /^\/\/cloudresourcemanager\.googleapis\.com\/(.+)$/.exec(name ?? '')?.[1] ??
    /\/(projects\/[^/]+)\//.exec(name ?? '')?.[1]
  );
}

/** A resource is where its own entry stands. */
function withResourceFirst(entries: readonly Entry[]): readonly Entry[] {
  const own = entries.find(({ value }) => isTold(value['resource']));
  return own === undefined || own === entries[0]
    ? entries
    : [own, ...entries.filter((entry) => entry !== own)];
}

/** @param closed an asset without an IAM policy has none */
function mergeEntries(entries: readonly Entry[], closed: boolean): Asset {
  const fields = entries.map(({ value }) => value);
  const [first = { value: {}, at: [] }, ...others] = entries;
  const resource = firstOf(fields, 'resource');
  const beside = Object.fromEntries(
    Object.entries(contents).flatMap(([camel, snake]) => {
      const content = firstOf(fields, camel) ?? firstOf(fields, snake);
      return content === undefined ? [] : [[camel, content] as const];
    }),
  );
  const isOpen = !closed && !Object.hasOwn(beside, 'iamPolicy');
  if (!isOpen && !isReadablePolicy(beside['iamPolicy'])) beside['iamPolicy'] = unreadablePolicy;
  // A search answers with some attributes, not with the resource.
  const data = dataOf(resource);
  return {
    type: assetType(typeOf(first.value) ?? ''),
    name: textOf(first.value['name']) ?? '',
    data,
    location: textOf(field(resource, 'location')) ?? textOf(firstOf(fields, 'location')),
    beside: { ...(isOpen ? notExported : {}), ...beside },
    labels: firstOf(fields, 'labels'),
    ancestors: firstOf(fields, 'ancestors') ?? firstOf(fields, 'ancestry_path'),
    at: first.at,
    merged: others.length === 0 ? undefined : mergedOf(first, others),
    lacks: data === undefined ? 'their resource' : isOpen ? 'their IAM policy' : undefined,
  };
}

/** The resource; exports to BigQuery have it as a JSON text. Nothing is known of one that is empty. */
function dataOf(resource: unknown): unknown {
  const data = readJson(field(resource, 'data'));
  return isFilled(data) && !isUnknown(data) ? data : undefined;
}

/** What is left out of an asset may be there: without an entry, nothing is known of what it tells. */
function mergedOf(first: Entry, others: readonly Entry[]): Merged {
  const entries = new Map<RawResource, Entry>(
    others.map((entry) => [toRawResource(mergeEntries([entry], false)), entry]),
  );
  return {
    parts: [...entries.keys()],
    remake: (isKept) => {
      const kept = [...entries].flatMap(([part, entry]) => (isKept(part) ? [entry] : []));
      return toRawResource(mergeEntries([first, ...kept], false));
    },
  };
}

const ownKinds = ['resource', 'additionalAttributes', 'labels', 'location'] as const;
const kindNames = [...Object.entries(contents), ...ownKinds.map((kind) => [kind, kind] as const)];

/** What an entry says of its asset, by kind. */
const contentsOf = ({ value }: Entry): ReadonlyMap<string, unknown> =>
  new Map(
    kindNames.flatMap(([camel, snake]) => {
      const content = firstOf([value], camel) ?? firstOf([value], snake);
      return content === undefined ? [] : [[camel, content]];
    }),
  );

interface Group {
  readonly entries: Entry[];
  /** Kinds of content that entries of this name contradict each other in. */
  readonly disputed: ReadonlySet<string>;
}

/**
 * Entries of one name are one asset where each tells another part of it, or the same. Those that contradict each other
 * are one each, and what is undisputed belongs to all of them.
 */
function tellApart(entries: Entry[]): Group[] {
  if (entries.length === 1) return [{ entries, disputed: new Set() }];
  const all = entries.map((entry) => ({ entry, said: contentsOf(entry) }));
  const disputed = new Set<string>();
  for (const kind of new Set(all.flatMap(({ said }) => [...said.keys()]))) {
    const told = all.flatMap(({ said }) => (said.has(kind) ? [said.get(kind)] : []));
    if (told.length > 1 && new Set(told.map(canonicalText)).size > 1) disputed.add(kind);
  }
  if (disputed.size === 0) return [{ entries, disputed }];
  const bySaid = new Map<string, Entry[]>();
  // Those that tell the same kinds tell the same of them, as these are undisputed.
  const shared = new Map<string, Entry>();
  for (const { entry, said } of all) {
    const own = [...disputed].map((kind) => said.get(kind) ?? null);
    if (own.every((content) => content === null)) {
      const kinds = JSON.stringify([...said.keys()]);
      if (!shared.has(kinds)) shared.set(kinds, entry);
    } else {
      const text = canonicalText(own);
      const same = bySaid.get(text);
      if (same) same.push(entry);
      else bySaid.set(text, [entry]);
    }
  }
  return Array.from(bySaid.values(), (own) => ({
    entries: [...own, ...shared.values()],
    disputed,
  }));
}

const isTold = (value: unknown): boolean => value !== undefined && value !== null;

const firstOf = (all: readonly Fields[], name: string): unknown =>
  all.map((one) => field(one, name)).find(isTold);
