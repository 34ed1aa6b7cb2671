import { readFileSync } from 'node:fs';
import path from 'node:path';
import { UnknownValue, isTypePattern, matchesType, typeKey } from '../../src/contract/resources.ts';
import { compileCondition } from '../../src/engine/condition/compile.ts';
import type { Program, Term } from '../../src/engine/condition/program.ts';
import { partsOf } from '../../src/engine/condition/program.ts';
import { normalisers } from '../../src/inventory/attributes/types.ts';

/** Attribute path → type. */
export type AttributeTable = ReadonlyMap<string, string>;

/** The tables of the guide, by heading: the common attributes, and the shapes that types share. */
const guide = readTables(
  readFileSync(path.resolve(import.meta.dirname, '../../docs/resource-model.md'), 'utf8'),
);

function readTables(markdown: string): Map<string, Map<string, string>> {
  const tables = new Map<string, Map<string, string>>();
  let rows = new Map<string, string>();
  for (const line of markdown.split('\n')) {
    const heading = /^#{2,3} (.+)$/.exec(line)?.[1];
    if (heading) tables.set(heading, (rows = new Map()));
    const [, attribute, type] = /^\| `([^`]+)` \| `([^`]+)` \| .+ \| .+ \|$/.exec(line) ?? [];
    if (attribute && type) rows.set(attribute, type);
  }
  return tables;
}

/** What the normalisers declare, by resource type. */
export const declared: ReadonlyMap<string, AttributeTable> = new Map(
  normalisers.flatMap(({ types, attributes }) => {
    const table = new Map(Object.entries(attributes).map(([name, { type }]) => [name, type]));
    return types.map((type) => [typeKey(type), table] as const);
  }),
);

/** What the reference says of a type's attributes where they are absent, by path. */
export const declaredAbsences = (type: string): (readonly [path: string, value: unknown])[] =>
  normalisers
    .filter(({ types }) => types.includes(type))
    .flatMap(({ attributes }) => Object.entries(attributes))
    .filter(([path]) => !path.includes('[]'))
    .map(([path, { absent }]) => [path, absent] as const);

/** Whether a resource of the type can have the attribute, or an object above it. */
export const isDeclared = (read: string, resourceType: string): boolean =>
  isIn(guide.get('Common attributes'), read) ||
  (isTypePattern(resourceType)
    ? [...declared].some(([type, table]) => matchesType(resourceType, type) && isIn(table, read))
    : isIn(declared.get(typeKey(resourceType)), read));

function isIn(table: AttributeTable | undefined, read: string): boolean {
  for (const [attribute, type] of table ?? []) {
    if (attribute === read || /^[.[]/.test(below(attribute, read))) return true;
    const rest = below(read, attribute);
    if (type === 'map' && /^[.[]/.test(rest)) return true;
    if (type.startsWith('map<') && /^(\.[^.[]+|\[\])$/.test(rest)) return true;
    const element = elementOf(type);
    if (element && rest === '[]') return true;
    if (element && rest.startsWith('[].')) {
      return isIn(guide.get(element), rest.slice('[].'.length));
    }
  }
  return false;
}

/** What follows `start` in `text`; empty where it doesn't start so. */
const below = (text: string, start: string): string =>
  text.startsWith(start) ? text.slice(start.length) : '';

const elementOf = (type: string): string | undefined => /^list<(.+)>$/.exec(type)?.[1];

/** The attributes that a condition reads: `a.b`, and `list[].c` where a macro walks over `list`. */
export function readPaths(program: Program): Set<string> {
  const found = new Set<string>();
  const waiting: Term[] = [program.root];
  for (let term = waiting.pop(); term; term = waiting.pop()) {
    if (term.path?.startsWith('resource.')) {
      found.add(
        term.path
          .slice('resource.'.length)
          .replaceAll(/\["(?:[^"\\]|\\.)*"\]/g, '.*')
          .replaceAll(/\[(?:\d+|\*)\]/g, '[]'),
      );
    }
    waiting.push(...partsOf(term));
  }
  return found;
}

/** The same, of a condition that compiles. */
export function readPathsOf(condition: string): string[] {
  const compiled = compileCondition(condition);
  if (!compiled.ok) throw new Error(compiled.problem.message);
  return [...readPaths(compiled.condition.program)];
}

const isNumber = (value: unknown): boolean => typeof value === 'number';
const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const scalars = new Map<string, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['bool', (value) => typeof value === 'boolean'],
  ['int', Number.isInteger],
  ['double', isNumber],
  ['timestamp', (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value))],
  ['map', isMap],
]);

/**
 * What of a value is not as declared, in words. What can't be known before the deployment, and what is absent, is right
 * for every type.
 */
export function mistakes(value: unknown, attribute: string, table: AttributeTable): string[] {
  const type = table.get(attribute);
  if (type === undefined) {
    const isObject = [...table.keys()].some((name) => name.startsWith(`${attribute}.`));
    return isObject && isMap(value)
      ? inFields(value, (name) => `${attribute}.${name}`, table)
      : [`${attribute} is not declared`];
  }
  return ofType(value, type, attribute, table);
}

function ofType(value: unknown, type: string, at: string, table: AttributeTable): string[] {
  if (value === undefined || value === null || value instanceof UnknownValue) return [];
  const wrong = [`${at} is ${JSON.stringify(value).slice(0, 80)}, not ${type}`];
  if (type === 'list' || elementOf(type)) {
    if (!Array.isArray(value)) return wrong;
    return value.flatMap((item: unknown) => ofElement(item, elementOf(type), `${at}[]`, table));
  }
  const ofMap = /^map<string,(.+)>$/.exec(type)?.[1];
  if (ofMap) {
    if (!isMap(value)) return wrong;
    return Object.values(value).flatMap((one) => ofType(one, ofMap, `${at}.*`, table));
  }
  return scalars.get(type)?.(value) ? [] : wrong;
}

function ofElement(item: unknown, type: string | undefined, at: string, table: AttributeTable) {
  if (item === undefined || item instanceof UnknownValue) return [];
  const shape = type === undefined ? table : guide.get(type);
  if (!shape) return ofType(item, type ?? '', at, table);
  if (!isMap(item)) return [`${at} is ${JSON.stringify(item)}, not an object`];
  return inFields(item, (name) => (type === undefined ? `${at}.${name}` : name), shape);
}

const inFields = (
  value: object,
  nameOf: (name: string) => string,
  table: AttributeTable,
): string[] => Object.entries(value).flatMap(([name, one]) => mistakes(one, nameOf(name), table));
