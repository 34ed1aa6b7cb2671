import { defined } from '../../contract/defined.ts';
import { controlKey, readLabels } from '../../engine/labels.ts';
import type { Mapping } from '../../engine/labels.ts';

/** What of which framework a report is about. */
export interface AskedFramework {
  readonly key: string;
  /** As it is shown: `SOC2`, `PCI-DSS`, or as it was asked for. */
  readonly name: string;
  /** In its usual spelling; absent: all of them. */
  readonly control?: string;
}

/** @param asked as in a report's order: `soc2`, `SOC2:CC6.1`, a custom one in any case */
export function readFramework(asked: string): AskedFramework {
  const [mapping] = readLabels([asked]);
  const { key = asked, framework = asked, controls = [] } = mapping ?? {};
  const [control] = controls;
  return { key, name: framework, ...defined({ control }) };
}

/** As policies are labelled with it. */
export const labelOf = ({ name, control }: AskedFramework): string =>
  control === undefined ? name : `${name}:${control}`;

export const describeFramework = ({ name, control }: AskedFramework): string =>
  control === undefined ? name : `${name}, control ${control}`;

/**
 * What of a policy's labels a report is about: by framework, only the one asked for, and only its control if one is
 * named. Empty: the policy is none of it.
 */
export function mappingsOf(
  labels: readonly string[],
  asked: AskedFramework | undefined,
): readonly Mapping[] {
  const mappings = readLabels(labels);
  if (!asked) return mappings;
  const ofFramework = mappings.filter(({ key }) => key === asked.key);
  if (asked.control === undefined) return ofFramework;
  const wanted = controlKey(asked.name, asked.control);
  return ofFramework.flatMap((mapping) => {
    const controls = mapping.controls.filter((one) => controlKey(asked.name, one) === wanted);
    return controls.length === 0 ? [] : [{ ...mapping, controls }];
  });
}

/** `SOC2 CC6.1 CC6.7, PCI-DSS 1.2`. */
export const describeMappings = (mappings: readonly Mapping[]): string =>
  mappings.map(({ framework, controls }) => [framework, ...controls].join(' ')).join(', ');
