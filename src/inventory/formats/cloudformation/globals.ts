import type { Fields } from './resolver.ts';
import { isFields, own } from './resolver.ts';

/** What the template's `Globals` give to each resource of a SAM type. */
export function globalsOf(type: string, globals: Fields): unknown {
  const kind = /^AWS::Serverless::(\w+)$/.exec(type)?.[1];
  return kind === undefined ? undefined : own(globals, kind);
}

/** A SAM resource's properties with the template's `Globals` for its kind: maps merge, lists add up, its own win. */
export function withGlobals(type: string, properties: unknown, globals: Fields): unknown {
  const given = globalsOf(type, globals);
  return given === undefined ? properties : merge(given, properties);
}

function merge(global: unknown, local: unknown): unknown {
  if (local === undefined || local === null) return global;
  if (Array.isArray(global) && Array.isArray(local)) return [...(global as unknown[]), ...local];
  if (!isFields(global) || !isFields(local) || isIntrinsic(global) || isIntrinsic(local)) {
    return local;
  }
  return Object.fromEntries([
    ...Object.entries(global),
    ...Object.entries(local).map(([key, value]) => [key, merge(own(global, key), value)]),
  ]);
}

const isIntrinsic = (value: Fields): boolean => {
  const [key = '', ...more] = Object.keys(value);
  return more.length === 0 && (key === 'Ref' || key.startsWith('Fn::'));
};
