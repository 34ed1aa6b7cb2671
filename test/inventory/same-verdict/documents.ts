// A variant of a kind, written as each source would have it.
import { declaredAbsences } from '../../support/attribute-model.ts';
import { Reference, planDocument } from '../attributes/aws/twins.ts';
import { cloudOf } from './clouds.ts';
import type { Fields, Kind, Source, Value } from './kind.ts';
import { isMap, merge, put } from './spelled.ts';

/** The index of the value that each setting has; undefined: it is not set. */
export type Variant = readonly (number | undefined)[];

/** The sources that have the kind. */
export const sourcesOf = (kind: Kind): readonly Source[] =>
  cloudOf(kind).sources.filter((source) => kind.unsupported[source] === undefined);

/** The document of a source, or undefined where the source does not have the type. */
export const documentOf = (kind: Kind, variant: Variant, source: Source): unknown =>
  sourcesOf(kind).includes(source) ? render[source](kind, variant) : undefined;

const render: Readonly<Record<Source, (kind: Kind, variant: Variant) => unknown>> = {
  native: (kind, variant) => {
    const fields = fieldsOf(kind, variant, 'native', 'native');
    const absent = declaredAbsences(kind.type).map(([path, value]) => put(path, value));
    return [{ id: 'it', type: kind.type, ...overlay(merge(...absent), fields) }];
  },
  template: (kind, variant) =>
    cloudOf(kind).template(
      kind,
      fieldsOf(kind, variant, 'template', undefined),
      besides(kind, variant),
    ),
  plan: (kind, variant) => planDocument(planned(kind, variant, undefined)),
  state: (kind, variant) => ({
    format_version: '1.0',
    terraform_version: '1.9.0',
    values: {
      root_module: {
        resources: Object.entries(planned(kind, variant, 'plan')).map(([address, values]) => {
          const [type, name] = address.split('.');
          const { deployed } = cloudOf(kind);
          const all = { ...deployed(address), ...values };
          return { address, mode: 'managed', type, name, values: deploy(all, deployed) };
        }),
      },
    },
  }),
  item: (kind, variant) =>
    cloudOf(kind).item(kind, fieldsOf(kind, variant, 'item', 'item'), besides(kind, variant)),
};

/** @param absent the spelling in which what is not set is told, too */
function fieldsOf(
  kind: Kind,
  variant: Variant,
  spelling: keyof Omit<Value, 'beside'>,
  absent: keyof Omit<Value, 'beside'> | undefined,
  source: Source = spelling,
): Fields {
  const told = kind.settings.map((setting, index) => {
    const chosen = variant[index];
    if (setting.untold[source] !== undefined) return {};
    if (chosen !== undefined) return setting.values[chosen]?.[spelling];
    return absent === undefined ? {} : setting.absent[absent];
  });
  return merge(kind.always[spelling], ...told);
}

const besides = (kind: Kind, variant: Variant) => [
  kind.always.beside ?? {},
  ...kind.settings.map(({ values }, index) => values[variant[index] ?? -1]?.beside ?? {}),
];

const planned = (kind: Kind, variant: Variant, absent: 'plan' | undefined) => ({
  [`${kind.terraform}.it`]: fieldsOf(
    kind,
    variant,
    'plan',
    absent,
    absent === undefined ? 'plan' : 'state',
  ),
  ...(Object.assign({}, ...besides(kind, variant).map((one) => one.plan)) as Record<
    string,
    Fields
  >),
  ...cloudOf(kind).planned,
});

/** What a reference came to once it was deployed. */
function deploy(value: unknown, deployed: (address: string) => Fields): unknown {
  if (value instanceof Reference) {
    const [type, name, attribute = 'id'] = value.to.split('.');
    return deployed(`${type}.${name}`)[attribute];
  }
  if (Array.isArray(value)) return value.map((one) => deploy(one, deployed));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, deploy(one, deployed)]),
  );
}

/** The second wins; lists are given whole. */
function overlay(first: Fields, second: Fields): Fields {
  const put: Record<string, unknown> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const there = put[name];
    put[name] = isMap(there) && isMap(value) ? overlay(there, value) : value;
  }
  return put;
}
