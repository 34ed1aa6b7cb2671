import { createSuggester } from '../../contract/nearest.ts';
import { catalogues } from '../../engine/frameworks/frameworks.ts';
import type { Catalogue } from '../../engine/frameworks/catalogue.ts';
import { controlKey, frameworkKey, showControl, splitLabel } from '../../engine/labels.ts';
import type { Finding } from './source.ts';

/**
 * Looks for labels of `compliance_frameworks` that name no control of a built-in framework, or a framework that is
 * spelled almost like one. Any other framework is the user's own.
 */
export function createLabelCheck(): (label: string) => Finding | undefined {
  const known = new Map(catalogues.map((one) => [frameworkKey(one.name), createLookUp(one)]));
  const suggest = createSuggester(new Set(catalogues.map(({ name }) => name)));
  return (label) => {
    const { framework, control } = splitLabel(label);
    const lookUp = known.get(frameworkKey(framework));
    if (!lookUp) return judgeFramework(framework, suggest(framework));
    return control === '' ? undefined : lookUp(control);
  };
}

/** ISO27017 and NIST-800-171 are frameworks too: what differs in its digits is another one. */
function judgeFramework(framework: string, nearest: string | undefined): Finding | undefined {
  if (nearest === undefined || digitsOf(nearest) !== digitsOf(framework)) return undefined;
  return {
    level: 'warning',
    code: 'unknown-framework',
    message: `no built-in framework is called ${JSON.stringify(framework)}`,
    hint: `Did you mean ${nearest}?`,
  };
}

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

function createLookUp({ name, version, controls }: Catalogue) {
  const keys = new Set(controls.flatMap((id) => withGroups(controlKey(name, id))));
  const suggest = createSuggester(new Set(controls));
  return (control: string): Finding | undefined => {
    if (keys.has(controlKey(name, control))) return undefined;
    const nearest = suggest(showControl(name, control));
    return {
      level: 'warning',
      code: 'unknown-control',
      message: `${name} (${version}) has no control ${JSON.stringify(control)}`,
      hint: nearest === undefined ? undefined : `Did you mean ${name}:${nearest}?`,
    };
  };
}

/** A control and what it is part of: CC6.1 and CC6, 164.312(a)(1), 164.312(a) and 164.312. */
const withGroups = (key: string): string[] => [
  key,
  ...[...key.matchAll(/(?<=.)[.(]/g)].map(({ index }) => key.slice(0, index)),
];
