import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { equal, entryOf, isMap, keysOf } from '../../src/engine/condition/compare.ts';
import { parseDuration, parseTimestamp } from '../../src/engine/condition/time.ts';
import { CelMap, Failure, typeName, TypeValue, Uint } from '../../src/engine/condition/values.ts';

/** A value as the conformance suite writes it: protobuf's JSON. */
export interface CaseValue {
  readonly [kind: string]: unknown;
}

interface CaseType {
  readonly primitive?: string;
  readonly wellKnown?: string;
  readonly messageType?: string;
  readonly listType?: { readonly elemType?: CaseType };
  readonly mapType?: { readonly keyType?: CaseType; readonly valueType?: CaseType };
  readonly abstractType?: { readonly name: string; readonly parameterTypes?: CaseType[] };
  readonly null?: unknown;
  readonly type?: unknown;
}

export interface Case {
  readonly name: string;
  readonly expr: string;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly container?: string;
  readonly typeEnv?: readonly {
    readonly name: string;
    readonly ident?: { readonly type: CaseType };
  }[];
  readonly bindings?: Readonly<Record<string, { readonly value: CaseValue }>>;
  readonly value?: CaseValue;
  readonly evalError?: unknown;
  readonly typedResult?: { readonly result?: CaseValue; readonly deducedType?: CaseType };
}

export interface CaseFile {
  readonly name: string;
  readonly cases: readonly Case[];
}

export const folder = path.resolve(
  import.meta.dirname,
  '../../../shared/data/cel/bufbuild__cel-es',
);

export function readCases(): CaseFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      // The suite's own format.
      const { name: file, section } = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as {
        name: string;
        section: { test: Case[] }[];
      };
      return { name: file, cases: section.flatMap(({ test }) => test) };
    });
}

/**
 * Why a case says nothing about an engine without protobuf messages; told from what it contains, not from its name.
 * Messages are made (`Name{…}`), named (enums, extensions, wrapper types), bound, expected or declared.
 */
export function needsProtobuf(one: Case): boolean {
  const isWellKnown = (text: string) =>
    /"@type":"type\.googleapis\.com\/google\.protobuf\.(?:Timestamp|Duration)"/.test(text);
  const given = JSON.stringify([one.bindings, one.value, one.typedResult]);
  const objects = given.match(/\{"@type":"[^"]*"/g) ?? [];
  const types = JSON.stringify([one.typeEnv, one.typedResult?.deducedType]);
  const messages = types.match(/"messageType":"[^"]*"/g) ?? [];
  return (
    /[\w.]\s*\{|\.\s*\/\/ @\s*\{/.test(one.expr.replace(/\{\s*[?'"\d-]/g, '<')) ||
    /\b(?:TestAllTypes|NestedTestAllTypes|GlobalEnum|NestedEnum)\b|cel\s*\.\s*expr|proto\.(?:has|get)Ext/.test(
      one.expr,
    ) ||
    /google\.protobuf\.(?!Timestamp\b|Duration\b)\w+/.test(one.expr) ||
    objects.some((object) => !isWellKnown(object)) ||
    messages.some((message) => !/google\.protobuf\.(?:Timestamp|Duration)"/.test(message)) ||
    given.includes('"enumValue"')
  );
}

/** A value of the suite as the engine has it. */
export function fromCase(value: CaseValue): unknown {
  const [[kind, held] = ['nullValue', null]] = Object.entries(value);
  switch (kind) {
    case 'int64Value':
      return BigInt(String(held));
    case 'uint64Value':
      return new Uint(BigInt(String(held)));
    case 'doubleValue':
      return Number(held);
    case 'bytesValue':
      return Uint8Array.from(Buffer.from(String(held), 'base64'));
    case 'typeValue':
      return new TypeValue(String(held));
    case 'listValue':
      return ((held as { values?: CaseValue[] }).values ?? []).map(fromCase);
    case 'mapValue': {
      const map = new CelMap();
      const entries = (held as { entries?: { key: CaseValue; value: CaseValue }[] }).entries ?? [];
      for (const entry of entries) map.add(fromCase(entry.key), fromCase(entry.value));
      return map;
    }
    case 'objectValue': {
      const { '@type': type, value: text } = held as { '@type': string; value: string };
      return type.endsWith('Duration') ? parseDuration(text) : parseTimestamp(text);
    }
    default:
      return held;
  }
}

const primitives = new Map([
  ['INT64', 'int'],
  ['UINT64', 'uint'],
  ['DOUBLE', 'double'],
  ['STRING', 'string'],
  ['BYTES', 'bytes'],
  ['BOOL', 'bool'],
]);

/** A declared type as the checker writes it. */
export function typeOfCase(type: CaseType | undefined): string {
  if (type?.primitive) return primitives.get(type.primitive) ?? 'dyn';
  if (type?.listType) return `list<${typeOfCase(type.listType.elemType)}>`;
  if (type?.mapType) {
    return `map<${typeOfCase(type.mapType.keyType)}, ${typeOfCase(type.mapType.valueType)}>`;
  }
  if (type?.abstractType?.name === 'optional_type') {
    return `optional<${typeOfCase(type.abstractType.parameterTypes?.[0])}>`;
  }
  if (type?.messageType) return type.messageType;
  if (type?.wellKnown)
    return `google.protobuf.${type.wellKnown === 'DURATION' ? 'Duration' : 'Timestamp'}`;
  if (type?.null !== undefined) return 'null';
  if (type?.type !== undefined) return 'type';
  return 'dyn';
}

/** Whether a result is what is expected, types of numbers included. */
export function isSame(expected: unknown, actual: unknown): boolean {
  if (Number.isNaN(expected)) return Number.isNaN(actual);
  if (actual instanceof Failure || typeName(expected) !== typeName(actual)) return false;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return expected.length === actual.length && expected.every((one, i) => isSame(one, actual[i]));
  }
  if (isMap(expected) && isMap(actual)) {
    const keys = keysOf(expected);
    return (
      keys.length === keysOf(actual).length &&
      keys.every((key) => {
        const other = entryOf(actual, key);
        return other !== undefined && isSame(entryOf(expected, key)?.[1], other[1]);
      })
    );
  }
  return equal(expected, actual) === true;
}
