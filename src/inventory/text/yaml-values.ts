import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Node, ParsedNode, Scalar, YAMLMap } from 'yaml';
import { setOwn } from './set-own.ts';

/** Values that aliases may stand for, all in all; a bomb passes it at once. */
const maxAliased = 1_000_000;

export class AliasError extends Error {
  constructor(
    message: string,
    readonly node: Node,
  ) {
    super(message);
  }
}

/** The key of CloudFormation's long form for its short tag: `!Sub` → `Fn::Sub`. */
export function longForm(tag: string): string | undefined {
  if (!tag.startsWith('!') || tag.length < 2 || tag.startsWith('!!')) return undefined;
  const name = tag.slice(1);
  return name === 'Ref' || name === 'Condition' ? name : `Fn::${name}`;
}

interface Anchored {
  readonly value: unknown;
  /** Values that it holds, itself included; undefined while it is still being read. */
  readonly size: number | undefined;
}

/**
 * The plain values of a YAML node: own keys only, `__proto__` included; `<<` merges; aliases share what they name.
 * Short tags become the long form, `{Ref: name}`. `words`: yes, no, on and off are booleans, as in YAML 1.1.
 * @throws AliasError for an alias that names nothing, or what it stands in, or multiplies without end
 */
export function yamlValue(root: ParsedNode, words: boolean): unknown {
  const anchors = new Map<string, Anchored>();
  let size = 0;
  let aliased = 0;

  const read = (node: unknown): unknown => {
    size += 1;
    if (isScalar(node)) return anchored(node, () => tagged(node, scalarValue(node, words)));
    if (isAlias(node)) return follow(node);
    if (isMap(node)) return anchored(node, () => tagged(node, readMap(node)));
    if (isSeq(node)) return anchored(node, () => tagged(node, node.items.map(read)));
    return null;
  };

  const anchored = (node: Node & { anchor?: string }, make: () => unknown): unknown => {
    if (!node.anchor) return make();
    const before = size;
    anchors.set(node.anchor, { value: undefined, size: undefined });
    const value = make();
    anchors.set(node.anchor, { value, size: size - before + 1 });
    return value;
  };

  const follow = (alias: Alias): unknown => {
    const found = anchors.get(alias.source);
    if (!found) throw new AliasError(`the alias *${alias.source} has no anchor before it`, alias);
    if (found.size === undefined) {
      throw new AliasError(`the alias *${alias.source} refers to a value that contains it`, alias);
    }
    size += found.size;
    aliased += found.size;
    if (aliased > maxAliased) {
      throw new AliasError(`the aliases expand to more than ${maxAliased} values`, alias);
    }
    return found.value;
  };

  const readMap = (map: YAMLMap): Record<string, unknown> => {
    const value: Record<string, unknown> = {};
    let merged: unknown[] | undefined;
    for (const pair of map.items) {
      if (isMergeKey(pair.key)) (merged ??= []).push(...asList(read(pair.value)));
      else setOwn(value, keyOf(pair.key), read(pair.value));
    }
    for (const source of merged ?? []) {
      if (typeof source !== 'object' || source === null || Array.isArray(source)) {
        throw new AliasError('a << merge requires a map or a list of maps', map);
      }
      for (const [key, inherited] of Object.entries(source)) {
        if (!Object.hasOwn(value, key)) setOwn(value, key, inherited);
      }
    }
    return value;
  };

  return read(root);
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

export const keyOf = (key: unknown): string => (isScalar(key) ? String(key.value) : '');

export const isMergeKey = (key: unknown): boolean =>
  isScalar(key) &&
  (key.value === '<<' || (typeof key.value === 'symbol' && key.value.description === '<<'));

function tagged(node: Node & { tag?: string }, value: unknown): unknown {
  const key = node.tag === undefined ? undefined : longForm(node.tag);
  return key === undefined ? value : { [key]: value };
}

/** As SnakeYAML and PyYAML tell booleans. */
const booleanWords: ReadonlyMap<string, boolean> = new Map(
  ['yes', 'Yes', 'YES', 'on', 'On', 'ON']
    .map((word): [string, boolean] => [word, true])
    .concat(['no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, false])),
);

function scalarValue(node: Scalar, words: boolean): unknown {
  const { value, source } = node;
  if (typeof value === 'number') {
    // Account ids and file modes: their zeros in front must stay.
    return source !== undefined && /^[-+]?0\d+$/.test(source) ? source : value;
  }
  if (words && typeof value === 'string' && node.type === 'PLAIN' && node.tag === undefined) {
    return booleanWords.get(value) ?? value;
  }
  return value;
}
