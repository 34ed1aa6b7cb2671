// One description of a kind of resource, from which the documents of every source are made: what can be set, and how
// each source spells it.
import type { Spelled } from './spelled.ts';
import { put, spellEverywhere } from './spelled.ts';

/** `native` says what is so; `item` and `state` tell of what is deployed, with what the provider chose. */
export const sources = ['native', 'template', 'plan', 'state', 'item'] as const;
export type Source = (typeof sources)[number];

export type Fields = Readonly<Record<string, unknown>>;

/** Resources beside the one that is described, for one value of a setting. */
interface Beside {
  /** By logical ID; in Azure's by name, with all that stands in the resource. */
  readonly template?: Readonly<Record<string, readonly [type: string, properties: Fields]>>;
  /** By address. */
  readonly plan?: Readonly<Record<string, Fields>>;
  readonly item?: readonly Fields[];
}

/** On, off. */
export const both = [true, false];

/** A value of a setting as each source has it: properties, arguments, an item's configuration, attributes. */
export interface Value {
  readonly native?: Fields;
  readonly template?: Fields;
  readonly plan?: Fields;
  readonly item?: Fields;
  readonly beside?: Beside;
}

export interface Setting {
  readonly name: string;
  readonly values: readonly Value[];
  /** What the provider does where it is not set: told by what is deployed, left out by a template and a plan. */
  readonly absent: Value;
  /** Sources that have no field for it, and why. There it is left out, and the attribute may be unknown. */
  readonly untold: Partial<Record<Source, string>>;
  /** Why it is never left out here: left out, it is not the same in every source. */
  readonly differs?: string | undefined;
}

export interface Kind {
  readonly type: string;
  readonly terraform: string;
  readonly settings: readonly Setting[];
  /** What every variant has. */
  readonly always: Value;
  /** Sources that do not have the type at all, and why. */
  readonly unsupported: Partial<Record<Source, string>>;
}

interface Paths {
  /** `a.b[].c`: `[]` is a list of one. Default: made of the template's path. */
  readonly plan?: string;
  readonly item?: string;
}

interface SettingOptions extends Paths {
  readonly untold?: Setting['untold'];
  readonly differs?: Setting['differs'];
}

/**
 * A setting by its attribute and its property. The names in the other sources follow from the property's, unless they
 * are given: `Encryption.KeyId` is `encryption[].key_id` in a plan and `encryption.keyId` in an item.
 * @param absent what the provider does by itself; undefined: nothing, so that no source has it
 */
export function setting(
  native: string,
  property: string,
  values: readonly unknown[],
  absent?: unknown,
  {
    untold = {},
    differs,
    plan = planPath(property),
    item = itemPath(property),
  }: SettingOptions = {},
): Setting {
  const spell = (value: unknown): Value => {
    const spelled = spellEverywhere(value);
    return {
      native: put(native, spelled.native),
      template: put(property, spelled.template),
      plan: put(plan, spelled.plan),
      item: put(item, spelled.item),
    };
  };
  return {
    name: native,
    values: values.map(spell),
    absent: absent === undefined ? {} : spell(absent),
    untold,
    differs,
  };
}

/** A setting whose values differ in more than a word. */
export const choice = (
  name: string,
  values: readonly Value[],
  absent: Value = {},
  untold: Setting['untold'] = {},
  differs?: Setting['differs'],
): Setting => ({ name, values, absent, untold, differs });

const tagSets: readonly Readonly<Record<string, string>>[] = [
  {
    owner: 'shop',
    'cost-center': '42',
    environment: 'production',
    'data-classification': 'internal',
  },
  { environment: 'development', purpose: 'scratch' },
  { 'data-classification': 'confidential', tier: 'public', purpose: 'audit-logs' },
];

type SpellTags = (tags: Fields) => Fields;
const asTags: SpellTags = (given) => ({ tags: given });

/** The tags, or labels, of a resource, and how each source has them. */
export const tagsAs = (
  template: SpellTags = asTags,
  plan: SpellTags = asTags,
  item: SpellTags = asTags,
): Setting =>
  choice(
    'tags',
    tagSets.map((given) => ({
      native: { tags: given, environment: given['environment'] },
      template: template(given),
      plan: plan(given),
      item: item(given),
    })),
  );

export const kind = (
  type: string,
  terraform: string,
  settings: readonly Setting[],
  { always = {}, unsupported = {} }: Partial<Pick<Kind, 'always' | 'unsupported'>> = {},
): Kind => ({ type, terraform, settings, always, unsupported });

/** A value that is spelled otherwise in each source. `item` is also what the provider's own API says. */
export const as = (native: unknown, spelled: Partial<Spelled>): Spelled => ({
  native,
  template: native,
  plan: spelled.plan ?? spelled.template ?? native,
  item: spelled.item ?? spelled.template ?? native,
  ...spelled,
});

/** What is so without a word of it. */
export const unsaid = (native: unknown): Spelled => ({
  native,
  template: undefined,
  plan: undefined,
  item: undefined,
});

const planPath = (property: string): string =>
  property
    .split('.')
    .map((step) => snakeCase(step))
    .join('[].')
    .replaceAll('[][]', '[]');

const itemPath = (property: string): string =>
  property
    .split('.')
    .map((step) => step.charAt(0).toLowerCase() + step.slice(1))
    .join('.');

const snakeCase = (word: string): string =>
  word
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase();
