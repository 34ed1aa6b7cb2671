import { nearestWord } from '../../contract/nearest.ts';
import { frameworkKey, labelKey, splitLabel } from '../../engine/labels.ts';
import { policies } from '../policies/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';

/** Known without any policy. */
const wellKnown = ['soc2', 'hipaa', 'iso27001', 'pci', 'nist-800-53'];

/** Undefined: it is known, from the start or as a policy's label. Else what is wrong with it. */
export async function frameworkFault(reader: Reader, given: string): Promise<string | undefined> {
  const key = labelKey(given);
  const known = new Set(wellKnown);
  if (wellKnown.some((name) => labelKey(name) === key)) return undefined;
  for await (const { doc } of allRows(reader, policies, {})) {
    for (const label of doc.compliance_frameworks ?? []) {
      const { framework } = splitLabel(label);
      if (labelKey(label) === key || frameworkKey(framework) === key) return undefined;
      known.add(label).add(framework);
    }
  }
  const nearest = nearestWord(given, known);
  return nearest === undefined
    ? `names no known framework; known are ${wellKnown.join(', ')}, and those that policies are labelled with`
    : `names no known framework; did you mean ${nearest}?`;
}
