import { UnknownValue } from '../../../contract/resources.ts';
import { field, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { DocumentPath, RawResource, Reader } from '../../model.ts';
import { listAnswer } from './api-lists.ts';
import { toRawResource } from './asset.ts';
import type { Asset } from './asset.ts';
import { assetType } from './types.ts';

/** Exports of Cloud Asset Inventory: lists, single assets, lines; and lists as Google's APIs answer with them. */
export const gcp: Reader = {
  format: 'gcp-assets',
  detects: (document) =>
    assetsOf(document).some(({ value }) => isAsset(value)) || listAnswer(document) !== undefined,
  read: (document) => {
    const listed = listAnswer(document);
    if (listed) {
      const assets = listed.map((one) => ({ ...one, beside: { ...notExported, ...one.beside } }));
      return { raws: unique(assets.map(toRawResource)), problems: [] };
    }
    const found = assetsOf(document);
    return {
      raws: joinAssets(found).map(toRawResource),
      problems: found.flatMap(({ value, at }) =>
        isAsset(value) ? [] : [{ message: 'an asset needs a name and an asset_type', at }],
      ),
    };
  },
};

interface Found {
  readonly value: unknown;
  readonly at: DocumentPath;
}

/** The assets of an export: a list, `{assets: [...]}`, the results of a search, or one alone. */
function assetsOf(document: unknown): Found[] {
  for (const name of ['assets', 'results']) {
    const list = field(document, name);
    if (Array.isArray(list))
      return itemsOf(list).map((value, index) => ({ value, at: [name, index] }));
  }
  return Array.isArray(document)
    ? itemsOf(document).map((value, index) => ({ value, at: [index] }))
    : [{ value: document, at: [] }];
}

const isAsset = (value: unknown): value is Fields =>
  isFields(value) && typeOf(value) !== undefined && textOf(field(value, 'name')) !== undefined;

const typeOf = (asset: Fields): string | undefined =>
  textOf(asset['asset_type']) ?? textOf(asset['assetType']);

/** What exports put beside an asset, one kind in each export, as it is called in `properties`. */
const contents = {
  iamPolicy: 'iam_policy',
  orgPolicy: 'org_policy',
  v2OrgPolicies: 'v2_org_policies',
  accessPolicy: 'access_policy',
  accessLevel: 'access_level',
  servicePerimeter: 'service_perimeter',
} as const;

/** IAM policies are an export of their own; where it isn't at hand, nobody can say that there are none. */
const notExported: Fields = {
  iamPolicy: new UnknownValue('the IAM policy, which is not in the export', { present: false }),
};

/** An asset stands once in each export (resources, IAM policies, …): what they say of it is put together. */
function joinAssets(found: readonly Found[]): Asset[] {
  const assets = new Map<
    string,
    { type: string; name: string; at: DocumentPath; fields: Fields[] }
  >();
  for (const { value, at } of found) {
    if (!isAsset(value)) continue;
    const type = typeOf(value) ?? '';
    const name = textOf(value['name']) ?? '';
    const key = JSON.stringify([type, name]);
    const known = assets.get(key);
    if (known) known.fields.push(value);
    else assets.set(key, { type, name, at, fields: [value] });
  }
  const hasPolicies = found.some(
    ({ value }) =>
      field(value, 'iamPolicy') !== undefined || field(value, 'iam_policy') !== undefined,
  );
  return Array.from(assets.values(), ({ type, name, at, fields }) => {
    const resource = firstOf(fields, 'resource');
    const beside = Object.entries(contents).flatMap(([camel, snake]) => {
      const content = firstOf(fields, camel) ?? firstOf(fields, snake);
      return content === undefined ? [] : [[camel, content] as const];
    });
    return {
      type: assetType(type),
      name,
      data: field(resource, 'data') ?? firstOf(fields, 'additionalAttributes'),
      location: textOf(field(resource, 'location')) ?? textOf(firstOf(fields, 'location')),
      beside: { ...(hasPolicies ? {} : notExported), ...Object.fromEntries(beside) },
      labels: firstOf(fields, 'labels'),
      ancestors: firstOf(fields, 'ancestors') ?? firstOf(fields, 'ancestry_path'),
      at,
    };
  });
}

const firstOf = (all: readonly Fields[], name: string): unknown =>
  all.map((one) => field(one, name)).find((value) => value !== undefined && value !== null);

/** An answer may list a thing twice, as recordings over several pages do. */
const unique = (raws: readonly RawResource[]): RawResource[] => [
  ...new Map(raws.map((raw) => [raw.address, raw])).values(),
];
