import { createSuggester } from '../../contract/nearest.ts';
import { catalogues } from '../../engine/frameworks/frameworks.ts';
import type { Catalogue } from '../../engine/frameworks/catalogue.ts';
import { controlKey, frameworkKey, showControl, splitLabel } from '../../engine/labels.ts';
import type { LocalFramework, Problem } from '../model.ts';
import { fieldSpan } from './locate.ts';
import { createReparser } from './parse-yaml.ts';
import type { Finding, Source } from './source.ts';
import { problemAt } from './source.ts';

/** A framework whose controls are known. */
type Known = Pick<Catalogue, 'name' | 'controls'> & Partial<Pick<Catalogue, 'version'>>;

/**
 * Looks for labels of `compliance_frameworks` that name no control of a framework that is built in, or one of `own`; or
 * a framework that is spelled almost like a built-in one. Of any other framework nothing is known.
 */
export function createLabelCheck(
  own: readonly Known[] = [],
): (label: string) => Finding | undefined {
  const known = new Map(
    [...own, ...catalogues].map((one) => [frameworkKey(one.name), createLookUp(one)]),
  );
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
    message: `no built-in framework named ${JSON.stringify(framework)}`,
    hint: `Did you mean ${nearest}?`,
  };
}

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

function createLookUp({ name, version, controls }: Known) {
  const keys = new Set(controls.flatMap((id) => withGroups(controlKey(name, id))));
  const suggest = createSuggester(new Set(controls));
  return (control: string): Finding | undefined => {
    if (keys.has(controlKey(name, control))) return undefined;
    const nearest = suggest(showControl(name, control));
    return {
      level: 'warning',
      code: 'unknown-control',
      message: `${name}${version === undefined ? '' : ` (${version})`} has no control ${JSON.stringify(control)}`,
      hint: nearest === undefined ? undefined : `Did you mean ${name}:${nearest}?`,
    };
  };
}

/** A control and what it is part of: CC6.1 and CC6, 164.312(a)(1), 164.312(a) and 164.312. */
const withGroups = (key: string): string[] => [
  key,
  ...[...key.matchAll(/(?<=.)[.(]/g)].map(({ index }) => key.slice(0, index)),
];

/** The labels of a policy, and which document of which file it is (from 0). */
export interface LocatedLabels {
  readonly labels: readonly unknown[];
  readonly source: Source;
  readonly index: number;
}

/** The frameworks of the files that are not built in. */
export const ownFrameworks = (frameworks: readonly LocalFramework[]): Known[] =>
  frameworks
    .filter(({ key }) => !catalogues.some(({ id }) => id === key))
    .map(({ framework: { id, version, controls } }) => ({
      name: id,
      controls: controls.map((control) => control.id),
      ...(version === undefined ? {} : { version }),
    }));

/** Finds the slips in labels, policy by policy, where these are the frameworks of the files. */
export function createLabelProblems(
  frameworks: readonly LocalFramework[],
): (located: LocatedLabels) => Problem[] {
  const check = createLabelCheck(ownFrameworks(frameworks));
  const found = new Map<string, Finding | undefined>();
  const find = (label: string): Finding | undefined => {
    if (!found.has(label)) found.set(label, check(label));
    return found.get(label);
  };
  const parseAgain = createReparser(1);
  return ({ labels, source, index }) =>
    labels.flatMap((label, at) => {
      const finding = typeof label === 'string' ? find(label) : undefined;
      const raw = finding && parseAgain(source).documents[index];
      return finding && raw
        ? [problemAt(source, fieldSpan(source, raw, ['compliance_frameworks', at]), finding)]
        : [];
    });
}
