import { defined } from '../../contract/defined.ts';
import { typeKey } from '../../contract/resources.ts';
import type { Attribute } from './normaliser.ts';
import { protocols } from './protocol.ts';
import type { Spelling } from './spelling.ts';
import { normalisers } from './types.ts';

/** What is known of a value: its type, and what can be read below it. */
export interface Shape {
  /** As the documentation writes it; absent for what only holds others. */
  readonly type?: string;
  /** Of a map whose names are known. */
  readonly fields?: ReadonlyMap<string, Shape>;
  /** Of a list: what each element is. */
  readonly item?: Shape;
  /** How a word is spelled, or the only ones that there are. */
  readonly spelling?: Spelling | undefined;
}

/** A shape while it is put together. */
interface Growing {
  type?: string;
  fields?: Map<string, Growing>;
  item?: Growing;
  spelling?: Spelling | undefined;
}

/** Every resource has these; docs/resource-model.md says what they mean. */
export const commonAttributes: ReadonlyMap<string, Growing> = new Map(
  Object.entries({
    id: 'string',
    type: 'string',
    name: 'string',
    provider: 'string',
    account_id: 'string',
    region: 'string',
    environment: 'string',
    tags: 'map<string,string>',
    properties: 'map',
    source: 'map',
  }).map(([name, type]) => [name, { type }]),
);

const fieldsOf = (types: Readonly<Record<string, string>>): ReadonlyMap<string, Growing> =>
  new Map(Object.entries(types).map(([name, type]) => [name, shapeOfType(type)]));

/** A field of a map that several types share, which has one of these words. */
const withWords = (
  fields: ReadonlyMap<string, Growing>,
  words: Readonly<Record<string, Spelling>>,
): ReadonlyMap<string, Growing> =>
  new Map(
    [...fields].map(([name, field]) => [name, { ...field, ...defined({ spelling: words[name] }) }]),
  );

/** Maps that several types share, by the name that a `list<Name>` has. */
export const sharedShapes: ReadonlyMap<string, ReadonlyMap<string, Growing>> = new Map([
  [
    'Statement',
    withWords(
      fieldsOf({
        effect: 'string',
        sid: 'string',
        principals: 'list<string>',
        not_principals: 'list<string>',
        actions: 'list<string>',
        not_actions: 'list<string>',
        resources: 'list<string>',
        not_resources: 'list<string>',
        conditions: 'map',
        declared_by: 'string',
      }),
      { effect: ['Allow', 'Deny'] },
    ),
  ],
  [
    'TrafficRule',
    withWords(
      fieldsOf({
        access: 'string',
        protocol: 'string',
        from_port: 'int',
        to_port: 'int',
        cidrs: 'list<string>',
        groups: 'list<string>',
        priority: 'int',
        description: 'string',
        declared_by: 'string',
      }),
      { access: ['allow', 'deny'], protocol: protocols },
    ),
  ],
  ['Binding', fieldsOf({ role: 'string', members: 'list<string>', condition: 'string' })],
]);

function elementOf(type: string): string | undefined {
  return /^list<(\w+)>$/.exec(type)?.[1];
}

function shapeOfType(type: string): Growing {
  const element = elementOf(type);
  return element === undefined ? { type } : { type, item: { type: element } };
}

/** The attributes of a type as one map: `volumes[].device` becomes an item's field. */
function grow(attributes: Readonly<Record<string, Attribute>>): Growing {
  const root: Growing = { fields: new Map(commonAttributes) };
  for (const [path, { type, spelling }] of Object.entries(attributes)) {
    let here = root;
    for (const step of path.split('.')) {
      const name = step.replace(/\[\]$/, '');
      here.fields ??= new Map<string, Growing>();
      const next: Growing = here.fields.get(name) ?? {};
      here.fields.set(name, next);
      here = name === step ? next : (next.item ??= {});
    }
    here.type = type;
    const element = elementOf(type);
    if (element === undefined) {
      here.spelling = spelling;
      continue;
    }
    const shared: ReadonlyMap<string, Growing> | undefined = sharedShapes.get(element);
    here.item ??= shared ? { fields: new Map(shared) } : { type: element, spelling };
  }
  return root;
}

const attributesByType = new Map(
  normalisers.flatMap(({ types, attributes }) =>
    types.map((type) => [typeKey(type), attributes] as const),
  ),
);

const shapes = new Map<string, Growing>();

/** What a resource of a type with well-known attributes has; it may have others too. */
export function shapeOf(type: string): Shape | undefined {
  const key = typeKey(type);
  const attributes = attributesByType.get(key);
  if (!attributes) return undefined;
  const shape = shapes.get(key) ?? grow(attributes);
  shapes.set(key, shape);
  return shape;
}

/** The types with well-known attributes, as they are spelled. */
export const wellKnownTypes: readonly string[] = normalisers.flatMap(({ types }) => types);

/** The first names of all attributes that some type has. */
export const wellKnownNames: ReadonlySet<string> = new Set(
  normalisers.flatMap(({ attributes }) =>
    Object.keys(attributes).map((path) => /^\w+/.exec(path)?.[0] ?? ''),
  ),
);
