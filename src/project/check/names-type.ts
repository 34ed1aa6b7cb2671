import { isTypePattern, typeKey } from '../../contract/resources.ts';
import type { PolicyInput } from '../../contract/policies.ts';
import { compileRule } from '../../engine/compile-rule.ts';
import { attributesOf, termsOf } from '../../engine/condition/program.ts';
import { ownAttributesOf } from '../../inventory/attributes/normalise.ts';

/** What tells which types a policy means: the attributes and the texts of its conditions. */
interface Words {
  readonly attributes: readonly string[];
  readonly texts: ReadonlySet<string>;
}

type Policy = Pick<PolicyInput, 'resource_type' | 'rules'>;

/**
 * Whether a policy that matches a type is about that type in particular: by the type or service of its `resource_type`, or,
 * where that is a whole provider or everything, by a condition that names the type or reads an attribute that the type has of
 * its own. "Everything has an owner" says nothing about the risks of any type, so it hides from nobody that no policy does.
 */
export function createNamesType(): (policy: Policy, type: string) => boolean {
  const known = new Map<Policy, Words>();
  const wordsOf = (policy: Policy): Words => {
    const words = known.get(policy) ?? readWords(policy);
    known.set(policy, words);
    return words;
  };
  return (policy, type) => {
    if (!isBroad(policy.resource_type)) return true;
    const { attributes, texts } = wordsOf(policy);
    return (
      texts.has(typeKey(type)) ||
      ownAttributesOf(type).some((own) => attributes.some((read) => isOrIsIn(read, own)))
    );
  };
}

/** `AWS::*`, `AWS::*::*` and `*` name no type and no service. */
const isBroad = (wanted: string): boolean =>
  isTypePattern(wanted) &&
  wanted
    .split('::')
    .slice(1)
    .every((part) => part === '*');

const isOrIsIn = (read: string, own: string): boolean =>
  read.startsWith(own) && /^(?:$|[.[])/.test(read.slice(own.length));

function readWords({ rules }: Policy): Words {
  const attributes = new Set<string>();
  const texts = new Set<string>();
  for (const rule of rules) {
    const compiled = compileRule(rule);
    if (!compiled.ok) continue; // refused before anything is evaluated
    const { root } = compiled.condition.program;
    for (const path of attributesOf(root)) attributes.add(path.replace(/^resource\./, ''));
    for (const term of termsOf(root)) {
      const values: readonly unknown[] = term.kind === 'constant' ? [term.value].flat() : [];
      for (const value of values) if (typeof value === 'string') texts.add(typeKey(value));
    }
  }
  return { attributes: [...attributes], texts };
}
