import { defined } from '../../contract/defined.ts';
import { readLabels } from '../../engine/labels.ts';
import type { Mapping } from '../../engine/labels.ts';

/** What of which framework a report is about. */
export interface AskedFramework {
  /** As it is shown: `SOC2`, `PCI-DSS`, or as it was asked for. */
  readonly name: string;
  /** As asked for; absent: all of them. */
  readonly control?: string;
}

/** Names that people write in several ways, by what is left of them without case, spaces, dashes and underscores. */
const wellKnown: Readonly<Record<string, string>> = {
  soc2: 'SOC2',
  hipaa: 'HIPAA',
  iso27001: 'ISO27001',
  pci: 'PCI-DSS',
  pcidss: 'PCI-DSS',
};

/** The name of a framework as a report shows it. */
function showFramework(name: string): string {
  const bare = name.toLowerCase().replaceAll(/[\s_-]/g, '');
  return Object.hasOwn(wellKnown, bare) ? (wellKnown[bare] ?? name) : name;
}

/** Frameworks are the same whatever their case. */
const keyOf = (name: string): string => showFramework(name).toLowerCase();

/** @param asked as in a report's order: `soc2`, `SOC2:CC6.1`, a custom one in any case */
export function readFramework(asked: string): AskedFramework {
  const [mapping] = readLabels([asked]);
  const { framework = asked, controls = [] } = mapping ?? {};
  const [control] = controls;
  return { name: showFramework(framework), ...defined({ control }) };
}

/** As policies are labelled with it. */
export const labelOf = ({ name, control }: AskedFramework): string =>
  control === undefined ? name : `${name}:${control}`;

export const describeFramework = ({ name, control }: AskedFramework): string =>
  control === undefined ? name : `${name}, control ${control}`;

/**
 * What of a policy's labels a report is about: by framework, whatever the case they are written in, only the one asked
 * for, and only its control if one is named. Empty: the policy is none of it.
 */
export function mappingsOf(
  labels: readonly string[],
  asked: AskedFramework | undefined,
): readonly Mapping[] {
  const found = new Map<string, { framework: string; controls: string[] }>();
  const wanted = asked?.control?.toLowerCase();
  for (const { framework, controls } of readLabels(labels)) {
    const key = keyOf(framework);
    if (asked && key !== keyOf(asked.name)) continue;
    const kept =
      wanted === undefined ? controls : controls.filter((one) => one.toLowerCase() === wanted);
    if (wanted !== undefined && kept.length === 0) continue;
    const known = found.get(key) ?? { framework: showFramework(framework), controls: [] };
    found.set(key, known);
    for (const control of kept) if (!known.controls.includes(control)) known.controls.push(control);
  }
  return [...found.values()];
}

/** `SOC2 CC6.1 CC6.7, PCI-DSS 1.2`. */
export const describeMappings = (mappings: readonly Mapping[]): string =>
  mappings.map(({ framework, controls }) => [framework, ...controls].join(' ')).join(', ');
