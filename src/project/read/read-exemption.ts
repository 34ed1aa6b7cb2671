import { byCodeUnit } from '../../contract/canonical-json.ts';
import type { ExemptionDocument } from '../documents/exemption.ts';
import type { Identity } from '../key.ts';
import { exemptionName, makeExemptionKey, makeKey } from '../key.ts';
import type { LocalExemption, Place } from '../model.ts';

/** What an exemption is known by, even where the rest of it is wrong. */
export function exemptionIdentity({
  key,
  name,
  policy,
  resources,
}: Readonly<Record<string, unknown>>): { identity?: Identity } {
  if (typeof policy !== 'string' || !isTexts(resources)) return {};
  const sorted = [...new Set(resources)].sort(byCodeUnit);
  const known = { kind: 'Exemption' as const, name: exemptionName(policy, sorted) };
  if (typeof key === 'string') return { identity: { ...known, key, keyField: 'key' } };
  return typeof name === 'string'
    ? { identity: { ...known, key: makeKey(name), keyField: 'name' } }
    : { identity: { ...known, key: makeExemptionKey(policy, sorted), keyField: 'policy' } };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');

/** An exemption whose schema is satisfied. */
export function readExemption(
  document: ExemptionDocument,
  place: Place,
): { exemption: LocalExemption; identity: Identity } {
  const { identity } = exemptionIdentity(document);
  if (!identity) throw new TypeError('an exemption requires a policy and resources');
  const exemption: LocalExemption['exemption'] & Partial<ExemptionDocument> = { ...document };
  for (const field of ['kind', 'key', 'name'] as const) delete exemption[field];
  return { exemption: { key: identity.key, exemption, place }, identity };
}
