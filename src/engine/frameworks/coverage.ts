import { defined } from '../../contract/defined.ts';
import type { Policy } from '../../contract/policies.ts';
import { controlKey, frameworkKey, readLabels } from '../labels.ts';
import type { Catalogue } from './catalogue.ts';
import { catalogues } from './frameworks.ts';

/** Which of a framework's controls policies are mapped to. */
export interface Coverage {
  readonly name: string;
  readonly version?: string;
  /** How many policies name the framework, with a control or without one. */
  readonly policies: number;
  /** All of them, each with the names of the policies that name it. */
  readonly controls: readonly { readonly id: string; readonly policies: readonly string[] }[];
}

/** The coverage of each built-in framework, and of `own` ones, by these policies; a label of a group of controls counts for none of them. */
export function coverageOf(
  policies: readonly Pick<Policy, 'name' | 'compliance_frameworks'>[],
  own: readonly (Pick<Catalogue, 'name' | 'controls'> & Partial<Pick<Catalogue, 'version'>>)[] = [],
): Coverage[] {
  const named = policies.flatMap(({ name, compliance_frameworks: labels = [] }) =>
    readLabels(labels).map((mapping) => ({ name, mapping })),
  );
  return [...catalogues, ...own].map(({ name, version, controls }) => {
    const own = named.filter(({ mapping }) => mapping.key === frameworkKey(name));
    const byControl = new Map<string, string[]>();
    for (const { name: policy, mapping } of own) {
      for (const control of mapping.controls) {
        const key = controlKey(name, control);
        const names = byControl.get(key) ?? [];
        byControl.set(key, names);
        names.push(policy);
      }
    }
    return {
      name,
      ...defined({ version }),
      policies: own.length,
      controls: controls.map((id) => ({ id, policies: byControl.get(controlKey(name, id)) ?? [] })),
    };
  });
}
