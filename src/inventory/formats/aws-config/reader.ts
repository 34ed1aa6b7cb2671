import { defined } from '../../../contract/defined.ts';
import { inThrees } from '../../../contract/in-threes.ts';
import { UnknownValue } from '../../../contract/resources.ts';
import { field, fieldsOf, isFields, isFilled, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { Deleted, DocumentProblem, RawResource, Reader } from '../../model.ts';
import { readTags } from '../../attributes/values.ts';
import { withoutCopies } from '../../canonical-text.ts';
import { findItems, looksLikeConfig } from './find-items.ts';
import type { FoundItem } from './find-items.ts';
import { parsed as parseJsonText } from '../../attributes/aws/config-item.ts';

/**
 * Configuration items of AWS Config: single ones, rule events, results of queries, histories and snapshots. Of a
 * resource's history, also over several files, what it is now.
 */
export const awsConfig: Reader = {
  format: 'aws-config',
  detects: looksLikeConfig,
  read: (document, { isJoined }) => {
    const { items, problems } = findItems(document);
    const { latest, newest } = latestOf(items);
    const untold = latest.filter(({ item }) => isNotRecorded(item));
    const told = latest.filter(({ item }) => !isNotRecorded(item));
    const read = told.filter(({ item }) => !isDeleted(item)).map(readItem);
    return {
      raws: read.flatMap(({ raw }) => (raw ? [raw] : [])),
      deleted: told.flatMap(readDeleted),
      isPart: items.some(({ item, isListed }) => !isListed || isDeleted(item)),
      untold: untold.flatMap(({ item }) => idOf(item) ?? []),
      problems: [...problems, ...read.flatMap(({ problem }) => (problem ? [problem] : []))],
      notices: [...(isJoined ? noticesOfOlder(items, newest) : []), ...noticesOfUntold(untold)],
    };
  },
  links: (document) => findItems(document).items.map(({ item }) => keyOf(item)),
};

const isDeleted = (item: Fields): boolean =>
  ['ResourceDeleted', 'ResourceDeletedNotRecorded'].includes(
    textOf(item['configurationItemStatus']) ?? '',
  );

/** AWS Config records the type no longer: the resource may be there, in any state. */
const isNotRecorded = (item: Fields): boolean =>
  item['configurationItemStatus'] === 'ResourceNotRecorded';

function noticesOfUntold(untold: readonly FoundItem[]): DocumentProblem[] {
  const [first] = untold;
  if (!first) return [];
  const message =
    untold.length === 1
      ? 'AWS Config no longer records this resource, so it is not read'
      : `AWS Config no longer records ${inThrees(untold.length)} resources, this one first, so they are not read`;
  return [{ message, at: first.at }];
}

function readDeleted({ item, at }: FoundItem): Deleted[] {
  const id = idOf(item);
  if (id === undefined || !isDeleted(item)) return [];
  const type = typeOf(textOf(item['resourceType']) ?? '');
  const place = defined({ account_id: accountOf(item), region: regionOf(item) });
  return [{ id, type, ...place, captured: stateOf(item)?.[1], at }];
}

/**
 * The newest item of each resource, where a history holds several. Of items that do not say when they were captured
 * none is the newest: all stay, but for those that say the same.
 */
function latestOf(found: readonly FoundItem[]): { latest: readonly FoundItem[]; newest: Newest } {
  const newest = new Map<string, FoundItem>();
  for (const one of found) {
    const key = keyOf(one.item);
    const known = newest.get(key);
    if (!known || isLater(stateOf(one.item), stateOf(known.item))) newest.set(key, one);
  }
  const latest = withoutCopies(
    found.filter((one) => !isOlder(one, newest)),
    ({ item }) => keyOf(item),
    ({ item }) => item,
  );
  return { latest, newest };
}

/** The newest item of each resource. */
type Newest = ReadonlyMap<string, FoundItem>;

function isOlder({ item }: FoundItem, newest: Newest): boolean {
  const last = newest.get(keyOf(item));
  const state = stateOf(item);
  return state !== undefined && idOf(item) !== undefined && isLater(last && stateOf(last.item), state); // prettier-ignore
}

/** Files may also be of different tests, so it is said that one of them is not looked at. */
function noticesOfOlder(found: readonly FoundItem[], newest: Newest): DocumentProblem[] {
  const older = found.filter(
    (one) => isOlder(one, newest) && newest.get(keyOf(one.item))?.at[0] !== one.at[0],
  );
  const [first] = older;
  if (!first) return [];
  const message =
    older.length === 1
      ? 'this configuration item is not read, as another file has a newer one of the resource'
      : `${inThrees(older.length)} configuration items, this one first, are not read, as other files have newer ones of the resources`;
  return [{ message, at: first.at }];
}

/** Of a resource. An id that is no ARN may be there in every region. */
const keyOf = (item: Fields): string => {
  const id = idOf(item);
  const region = id?.startsWith('arn:') ? undefined : regionOf(item);
  return JSON.stringify([item['resourceType'], accountOf(item), region, id]);
};

/** As a text. The SDKs and version 1 of the AWS CLI give seconds since 1970. */
function capturedOf(item: Fields): string | undefined {
  const given = item['configurationItemCaptureTime'];
  const seconds = typeof given === 'string' && /^\d+(\.\d+)?$/.test(given) ? Number(given) : given;
  if (typeof seconds !== 'number') return textOf(given);
  const captured = new Date(seconds * 1000);
  return Number.isNaN(captured.getTime()) ? undefined : captured.toISOString();
}

/** Milliseconds since 1970: the id of the state and when it was captured, one for the other where an item has one only. */
type State = readonly [id: number, captured: number];

/** Undefined where an item tells neither. */
function stateOf(item: Fields): State | undefined {
  const given = item['configurationStateId'];
  const id = given === '' ? Number.NaN : Number(given ?? Number.NaN);
  const captured = Date.parse(capturedOf(item) ?? '');
  const known = [id, captured].find(Number.isFinite);
  if (known === undefined) return undefined;
  return [Number.isFinite(id) ? id : known, Number.isFinite(captured) ? captured : known];
}

const isLater = (state: State | undefined, than: State | undefined): boolean =>
  state !== undefined &&
  (than === undefined || state[0] > than[0] || (state[0] === than[0] && state[1] > than[1]));

/** Of an item that has none of the configuration, or fields that a query selected: all that it lacks may be there. */
const notSelected = {
  properties: new UnknownValue('the configuration, which is not in the item'),
};

function readItem({ item, at, isPartial }: FoundItem): {
  raw?: RawResource;
  problem?: DocumentProblem;
} {
  const configuration = parseJsonText(item['configuration']);
  if (typeof configuration === 'string')
    return {
      problem: { message: 'the configuration is not valid JSON', at: [...at, 'configuration'] },
    };
  const id = idOf(item);
  if (id === undefined)
    return { problem: { message: 'a configuration item has no ARN and no resourceId', at } };
  const name = textOf(item['resourceName']);
  const isWhole = !isPartial && isFilled(configuration);
  const names = [id, textOf(item['resourceId']), name].filter((one) => one !== undefined);
  return {
    raw: {
      address: id,
      id,
      type: typeOf(textOf(item['resourceType']) ?? ''),
      name,
      account_id: accountOf(item),
      region: regionOf(item),
      tags:
        isWhole || isTold(item['tags'])
          ? tagsOf(item, configuration)
          : new UnknownValue('the tags, which are not in the item'),
      ...(isWhole ? {} : { only: [], given: notSelected }),
      properties: {
        ...fieldsOf(configuration),
        ...defined({ supplementaryConfiguration: supplementaryOf(item) }),
      },
      source: {
        format: 'aws-config',
        ...defined({ configurationItemCaptureTime: capturedOf(item) }),
        ...fieldsGiven(item, 'configurationItemStatus', 'resourceCreationTime', 'availabilityZone'),
        ...(Array.isArray(item['relationships'])
          ? { relationships: item['relationships'] as unknown }
          : {}),
      },
      names: [...new Set(names)],
      at,
    },
  };
}

/** Where AWS Config has a name of its own for a type of CloudFormation. */
const types: Readonly<Record<string, string>> = {
  'AWS::ACM::Certificate': 'AWS::CertificateManager::Certificate',
  'AWS::IAM::Policy': 'AWS::IAM::ManagedPolicy',
  'AWS::OpenSearch::Domain': 'AWS::OpenSearchService::Domain',
};

const typeOf = (type: string): string =>
  Object.hasOwn(types, type) ? (types[type] ?? type) : type;

const fieldsGiven = (item: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(
    names.flatMap((name) => (textOf(item[name]) === undefined ? [] : [[name, item[name]]])),
  );

const isTold = (value: unknown): boolean => value !== undefined && value !== null;

const idOf = (item: Fields): string | undefined =>
  textOf(item['arn']) ?? textOf(item['ARN']) ?? textOf(item['resourceId']);

const accountOf = (item: Fields): string | undefined =>
  textOf(item['accountId']) ?? textOf(item['awsAccountId']) ?? textOf(idOf(item)?.split(':')[4]);

const regionOf = (item: Fields): string | undefined => {
  const region = textOf(item['awsRegion']);
  return region === 'global' ? undefined : region;
};

/** Items carry their tags as a map, as pairs, or only inside the configuration. */
function tagsOf(item: Fields, configuration: unknown): Fields {
  for (const given of [item['tags'], field(configuration, 'tags'), field(configuration, 'Tags')]) {
    const tags = parseJsonText(given);
    const read = {
      ...readTags(tags, 'key', 'value'),
      ...(Array.isArray(tags)
        ? { ...readTags(tags), ...readTags(tags, 'tagKey', 'tagValue') }
        : {}),
    };
    if (Object.keys(read).length > 0) return read;
  }
  return {};
}

/** Results of advanced queries and items that were too large for a notification have none. */
const supplementaryOf = (item: Fields): Fields | undefined => {
  const parts = parseJsonText(item['supplementaryConfiguration']);
  return isFields(parts)
    ? Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, parseJsonText(part)]))
    : undefined;
};
