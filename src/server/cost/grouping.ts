import { GovctlError } from '../../contract/errors.ts';
import { costFilters } from '../../contract/cost.ts';
import type { CostAnalysisQuery, CostGrouping } from '../../contract/cost.ts';
import type { SharedCost } from '../config/config.ts';
import type { InventoryNames } from './inventory-names.ts';

/** How charges are grouped and filtered: which columns are read, and what a group is called. */
export interface Grouping {
  readonly columns: readonly string[];
  readonly where: Readonly<Record<string, readonly string[]>>;
  /** Texts of `columns` → one text for each field, and the rule where there are rules; undefined: a filter leaves them out. */
  readonly label: (texts: readonly string[]) => readonly string[] | undefined;
}

export type Filters = Partial<Pick<CostAnalysisQuery, (typeof costFilters)[number]>>;

interface Known {
  /** Tags that charges were imported with, lower-case. */
  readonly tags: readonly string[];
  /** Those that name an owner, the first that a charge has. */
  readonly ownerTags: readonly string[];
  /** Absent: the inventory is empty. */
  readonly names: InventoryNames | undefined;
}

/** As the schema of the configuration has checked. */
const asGrouping = (text: string): CostGrouping => text.toLowerCase() as CostGrouping;

type Label = (texts: readonly string[]) => string;

/**
 * @param rules of shared cost: the name of the one that a charge is of comes after the fields
 * @throws GovctlError malformed_request for a tag that no charge was imported with
 */
export function createGrouping(
  fields: readonly CostGrouping[],
  filters: Filters,
  known: Known,
  rules: readonly SharedCost[] = [],
): Grouping {
  const columns: string[] = [];
  const textOf = (name: string): Label => {
    const found = columns.indexOf(name);
    const at = found < 0 ? columns.push(name) - 1 : found;
    return (texts) => texts[at] ?? '';
  };
  const tagOf = (tag: string): Label => {
    checkTag(tag, known.tags);
    return textOf(`tag:${tag}`);
  };
  const labelOf = (field: CostGrouping): Label => {
    switch (field) {
      case 'account':
        return textOf('sub_account');
      case 'environment':
        return named(['environment'], 'environment');
      case 'owner':
        return named(known.ownerTags, 'owner');
      default:
        return field.startsWith('tag:') ? tagOf(field.slice('tag:'.length)) : textOf(field);
    }
  };
  /** By the first of the tags that a charge has, else by the inventory. */
  const named = (tags: readonly string[], field: 'environment' | 'owner'): Label => {
    const own = tags.filter((tag) => known.tags.includes(tag)).map((tag) => textOf(`tag:${tag}`));
    const inInventory = known.names && inventoryLabel(known.names, field);
    return (texts) => {
      for (const label of own) {
        const text = label(texts);
        if (text !== '') return text;
      }
      return inInventory?.(texts) ?? '';
    };
  };
  const inventoryLabel = (names: InventoryNames, field: 'environment' | 'owner'): Label => {
    const [id, provider, account, payer] = ['resource', 'provider', 'sub_account', 'billing_account'].map(textOf) as [Label, Label, Label, Label]; // prettier-ignore
    return (texts) => {
      if (id(texts) === '') return '';
      const resource = { id: id(texts), provider: provider(texts), account_id: account(texts) || payer(texts) }; // prettier-ignore
      return names(resource)?.[field] ?? '';
    };
  };
  /** Charges that were imported without a tag match no value of it. */
  const ruleLabel = (field: CostGrouping): Label =>
    field.startsWith('tag:') ? textOf(field) : labelOf(field);
  const labels = fields.map(labelOf);
  if (rules.length > 0) {
    const shared = rules.map(({ name, match }) => {
      const matched = Object.entries(match).map(
        ([field, values]) => [ruleLabel(asGrouping(field)), new Set(values)] as const,
      );
      return { name, isOf: (texts: readonly string[]) => matched.every(([label, values]) => values.has(label(texts))) }; // prettier-ignore
    });
    // The first rule that a charge matches has it.
    labels.push((texts) => shared.find(({ isOf }) => isOf(texts))?.name ?? '');
  }
  const where: Record<string, readonly string[]> = {};
  const checks: ((texts: readonly string[]) => boolean)[] = [];
  for (const name of costFilters) {
    const values = filters[name];
    if (!values) continue;
    if (name === 'tag') Object.assign(where, tagsWanted(values, known.tags));
    else if (name === 'environment' || name === 'owner') {
      const label = labelOf(name);
      const wanted = new Set(values);
      checks.push((texts) => wanted.has(label(texts)));
    } else where[name === 'account' ? 'sub_account' : name] = values;
  }
  return {
    columns,
    where,
    label: (texts) =>
      checks.every((passes) => passes(texts)) ? labels.map((label) => label(texts)) : undefined,
  };
}

/** `key`: any value; `key=value`; `key=`: none. Any of those of one key, and one of each key. */
function tagsWanted(
  given: readonly string[],
  known: readonly string[],
): Record<string, readonly string[]> {
  const wanted = new Map<string, { values: string[]; any: boolean }>();
  for (const one of given) {
    const at = one.indexOf('=');
    const tag = (at < 0 ? one : one.slice(0, at)).toLowerCase();
    checkTag(tag, known);
    const of = wanted.get(tag) ?? { values: [], any: false };
    wanted.set(tag, of);
    if (at < 0) of.any = true;
    else of.values.push(one.slice(at + 1));
  }
  return Object.fromEntries(
    [...wanted].flatMap(([tag, { values, any }]): [string, readonly string[]][] => {
      if (!any) return [[`tag:${tag}`, values]];
      // With none, too, it is no filter.
      return values.includes('') ? [] : [[`has:tag:${tag}`, ['1']]];
    }),
  );
}

function checkTag(tag: string, known: readonly string[]): void {
  if (known.includes(tag)) return;
  const there =
    known.length === 0
      ? 'charges were imported without tags'
      : `charges were imported with ${known.join(', ')}`;
  throw new GovctlError(
    'malformed_request',
    `No charge has the tag ${tag.slice(0, 100)}: ${there}`,
    {
      details: [{ field: 'tag', message: `is not one of the imported tags` }],
      hint: 'Add the tag to cost.tags in the configuration of the server, and import the charges again.',
    },
  );
}
