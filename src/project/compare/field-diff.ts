import type { Body, FieldChange, Kind } from '../kinds/kind.ts';
import { canonicalJson } from './fingerprint.ts';

/** What differs between two documents in normal form, field by field; null is no document at all. */
export const diffFields = (kind: Kind, before: Body | null, after: Body | null): FieldChange[] =>
  kind.fields.flatMap((field) => {
    const old = before?.[field] ?? null;
    const next = after?.[field] ?? null;
    if (canonicalJson(old) === canonicalJson(next)) return [];
    const better = before && after ? kind.diffField(field, old, next) : undefined;
    return better ?? [{ path: field, before: old, after: next }];
  });
