import { nearestWord } from '../../contract/nearest.ts';
import { policies } from '../policies/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';

/** What reports call frameworks, and what the labels of policies do. */
const otherNames: Readonly<Record<string, string>> = { pci: 'pci-dss' };

/** Known without any policy. */
const wellKnown = ['soc2', 'hipaa', 'iso27001', 'pci'];

/**
 * What all spellings of a framework, alone or with a control, have in common: `PCI:3.4` and `pci-dss:3.4` are
 * `pci-dss:3.4`.
 */
export function frameworkKey(label: string): string {
  const [framework = '', ...control] = label.toLowerCase().split(':');
  const name = Object.hasOwn(otherNames, framework) ? otherNames[framework] : framework;
  return [name, ...control].join(':');
}

/** Undefined: it is known, from the start or as a policy's label. Else what is wrong with it. */
export async function frameworkFault(reader: Reader, given: string): Promise<string | undefined> {
  const key = frameworkKey(given);
  const known = new Set(wellKnown);
  if (wellKnown.some((name) => frameworkKey(name) === key)) return undefined;
  for await (const { doc } of allRows(reader, policies, {})) {
    for (const label of doc.compliance_frameworks ?? []) {
      const [framework = label] = label.split(':');
      if (frameworkKey(label) === key || frameworkKey(framework) === key) return undefined;
      known.add(label).add(framework);
    }
  }
  const nearest = nearestWord(given, known);
  return nearest === undefined
    ? `names no known framework; known are ${wellKnown.join(', ')}, and those that policies are labelled with`
    : `names no known framework; did you mean ${nearest}?`;
}
