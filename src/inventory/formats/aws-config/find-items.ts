import { field, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { DocumentPath, DocumentProblem } from '../../model.ts';
import { parsed as parseJsonText } from '../../attributes/aws/config-item.ts';

/** A configuration item and where it stands; one inside a JSON text has the place of the text. */
export interface FoundItem {
  readonly item: Fields;
  readonly at: DocumentPath;
  /** A query selected some of its fields: what it lacks may be there. */
  readonly isPartial: boolean;
  /** It is in a snapshot or in the result of a query, which have all resources that they are about. */
  readonly isListed: boolean;
}

interface FoundItems {
  readonly items: readonly FoundItem[];
  readonly problems: readonly DocumentProblem[];
}

interface Inner {
  readonly step: string | number;
  readonly value: unknown;
  /** Inside a JSON text there are no places. */
  readonly inText: boolean;
}

/** Envelopes around items, from outside in: the list of several files, a recording, an answer, an event, a snapshot, a result, a graph's node. */
const maxEnvelopes = 7;

/** Looks through the envelopes that AWS and its tools put around configuration items. */
export function findItems(document: unknown): FoundItems {
  const items: FoundItem[] = [];
  const problems: DocumentProblem[] = [];
  const open: Open[] = [{ value: document, at: [], inText: false, isListed: false, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, at, inText, selection, depth } = next;
    const isListed = next.isListed || isSnapshot(value);
    if (isItem(value)) {
      items.push({ item: value, at, isPartial: selection === 'part', isListed });
      continue;
    }
    const message = whyNoItem(value);
    if (message !== undefined) problems.push({ message, at });
    if (!inText) for (const one of strangersIn(value, at)) problems.push(one);
    if (depth === maxEnvelopes || message !== undefined) continue;
    const inside = Array.from(insideOf(value), (inner) => ({
      value: inner.value,
      at: inText ? at : [...at, inner.step],
      inText: inText || inner.inText,
      isListed: isListed || isSelected(value, inner),
      selection: selection ?? selectionOf(value, inner),
      depth: depth + 1,
    }));
    // One by one: a snapshot has more items than a call takes arguments.
    for (const inner of inside.reverse()) open.push(inner);
  }
  return { items, problems };
}

interface Open extends Omit<FoundItem, 'item' | 'isPartial'> {
  /** What a query selected of the items; absent outside of its result. */
  readonly selection?: Selection | undefined;
  readonly value: unknown;
  readonly inText: boolean;
  readonly depth: number;
}

/** Histories, events and answers about single resources have no such ID. */
const isSnapshot = (value: unknown): boolean =>
  textOf(field(value, 'configSnapshotId')) !== undefined;

type Selection = 'configuration' | 'part';

/** What a query selected. Nobody knows it of its rows without their envelope. */
const selectionOf = (value: unknown, inner: Inner): Selection | undefined => {
  if (!isSelected(value, inner)) return undefined;
  return selectsConfiguration(value) ? 'configuration' : 'part';
};

/** Whether something is in the result of a query: only there, lists have texts. */
const isSelected = (value: unknown, { step, inText }: Inner): boolean =>
  step === 'Results' || (inText && Array.isArray(value));

/** Whether a query selected the whole configuration: `configuration.x` is a part, and `*` has no objects. */
const selectsConfiguration = (result: unknown): boolean =>
  itemsOf(field(field(result, 'QueryInfo'), 'SelectFields')).some(
    (one) => field(one, 'Name') === 'configuration',
  );

/** What stands in the lists of snapshots and queries and is no item: it would be left out without a word. */
function strangersIn(value: unknown, at: DocumentPath): DocumentProblem[] {
  return Object.entries(isFields(value) ? value : {}).flatMap(([name, list]) => {
    const isSnapshot = /^configurationItems$/i.test(name);
    if (!Array.isArray(list) || !(isSnapshot || name === 'Results')) return [];
    return (list as unknown[]).flatMap((item, index) => {
      const given = isSnapshot ? item : parseJsonText(item);
      const isFine = isSnapshot ? isItem(given) || whyNoItem(given) !== undefined : isFields(given);
      return isFine ? [] : [{ message: noItem, at: [...at, name, index] }];
    });
  });
}

const noItem =
  'this entry is not a configuration item with a resourceType and a configuration, so it is not checked; export it again';

/** Whether the document, or one of the first things inside it, is AWS Config's. */
export function looksLikeConfig(document: unknown): boolean {
  let level: unknown[] = [document];
  for (let depth = 0; depth <= maxEnvelopes && level.length > 0; depth++) {
    if (level.some((value) => isItem(value) || whyNoItem(value) !== undefined)) return true;
    level = level.flatMap((value) => firstOf(insideOf(value), 16)).slice(0, 64);
  }
  return false;
}

const firstOf = (inner: Iterable<Inner>, count: number): unknown[] => {
  const first: unknown[] = [];
  for (const { value } of inner) if (first.push(value) === count) break;
  return first;
};

const isItem = (value: unknown): value is Fields =>
  isFields(value) &&
  /^[A-Za-z0-9]+::/.test(textOf(field(value, 'resourceType')) ?? '') &&
  ['configuration', 'awsRegion', 'configurationItemStatus'].some((name) =>
    Object.hasOwn(value, name),
  );

/** What AWS Config writes that holds no configuration of a resource. */
function whyNoItem(value: unknown): string | undefined {
  if (!isFields(value)) return undefined;
  if (field(value, 'messageType') === 'ScheduledNotification')
    return 'this is a scheduled notification from AWS Config; it contains no resources';
  if (isFields(field(value, 'configurationItemSummary')))
    return 'the configuration item was too large for its event, which contains only a summary; read it from the delivery bucket';
  if (Array.isArray(field(value, 'EvaluationResults')))
    return 'these are evaluation results of AWS Config rules; they contain no resource configuration';
  if (field(value, 'accountId') === 'string' && field(value, 'configuration') === undefined)
    return 'this is the schema of a resource type, not a resource';
  // Plans of Terraform have a configuration, too.
  if (Object.hasOwn(value, 'terraform_version')) return undefined;
  if (isFields(field(value, 'configuration')) && field(value, 'resourceType') === undefined)
    return 'a configuration item without resourceType cannot be evaluated; add resourceType to the query';
  return undefined;
}

/** The values directly inside; texts are opened where AWS Config is known to put an item in one. */
function* insideOf(value: unknown): Generator<Inner> {
  const isList = Array.isArray(value);
  if (!isList && !isFields(value)) return;
  for (const [key, inner] of isList ? value.entries() : Object.entries(value)) {
    if (typeof inner === 'object' && inner !== null) {
      yield { step: key, value: inner as unknown, inText: false };
    } else if (
      typeof inner === 'string' &&
      (isList ? inner.startsWith('{') : key === 'invokingEvent' || key === 'Message')
    ) {
      const parsed = parseJsonText(inner);
      if (typeof parsed === 'object') yield { step: key, value: parsed, inText: true };
    }
  }
}
