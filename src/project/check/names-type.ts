import { isTypePattern, namesService, typeKey } from '../../contract/resources.ts';
import type { PolicyInput } from '../../contract/policies.ts';
import { compileRule } from '../../engine/compile-rule.ts';
import { attributesOf, termsOf } from '../../engine/condition/program.ts';
import { hasOnlyCommonAttributes, ownAttributesOf } from '../../inventory/attributes/normalise.ts';
import { wellKnownNames } from '../../inventory/attributes/shapes.ts';

/** What tells which types a policy means: the texts of its conditions, and the attributes that only some types have. */
interface Words {
  readonly attributes: readonly string[];
  readonly texts: ReadonlySet<string>;
}

type Policy = Pick<PolicyInput, 'resource_type' | 'rules'>;

/**
 * Whether a policy that matches a type is about that type in particular: by its `resource_type`, or by a condition that
 * names the type or reads an attribute that the type has of its own. A policy over a service is about all of its types,
 * unless its conditions are about some of them. "Everything has an owner" says nothing about the risks of any type, nor do
 * policies about IAM and about secrets that apply to all types of a provider, so they hide from nobody that no policy does.
 */
export function createNamesType(): (policy: Policy, type: string) => boolean {
  const known = new Map<Policy, Words>();
  const wordsOf = (policy: Policy): Words => {
    const words = known.get(policy) ?? readWords(policy);
    known.set(policy, words);
    return words;
  };
  return (policy, type) => {
    if (!isTypePattern(policy.resource_type)) return true;
    const { attributes, texts } = wordsOf(policy);
    return (
      texts.has(typeKey(type)) ||
      (!hasOnlyCommonAttributes(type) &&
        ownAttributesOf(type).some((own) => attributes.some((read) => isOrIsIn(read, own)))) ||
      (namesService(policy.resource_type) && attributes.length === 0 && ![...texts].some(isType))
    );
  };
}

const isType = (text: string): boolean => /^\w+::\S+::\S+$/.test(text);

const isOrIsIn = (read: string, own: string): boolean =>
  read.startsWith(own) && /^(?:$|[.[])/.test(read.slice(own.length));

/** `joined` says where a part is judged, not what it is; secrets may be in any. */
const isOfSome = (name: string): boolean =>
  !['joined', 'plaintext_secrets'].includes(name) && wellKnownNames.has(name);

function readWords({ rules }: Policy): Words {
  const attributes = new Set<string>();
  const texts = new Set<string>();
  for (const rule of rules) {
    const compiled = compileRule(rule);
    if (!compiled.ok) continue; // refused before anything is evaluated
    const { root } = compiled.condition.program;
    for (const path of attributesOf(root)) {
      const [, name, rest] = /^resource\.(\w+)(.*)$/s.exec(path) ?? [];
      if (name !== undefined && isOfSome(name)) attributes.add(`${name}${rest}`);
    }
    for (const term of termsOf(root)) {
      const values: readonly unknown[] = term.kind === 'constant' ? [term.value].flat() : [];
      for (const value of values) if (typeof value === 'string') texts.add(typeKey(value));
    }
  }
  return { attributes: [...attributes], texts };
}
