import type { Finding, FindingRule } from '../../contract/findings.ts';
import type { Resource } from '../../contract/resources.ts';
import { terraformArgument } from '../../inventory/attributes/arguments.ts';
import { namedLists } from '../../inventory/attributes/credentials.ts';
import { at } from '../../inventory/attributes/values.ts';
import { samProperty } from '../../inventory/formats/cloudformation/sam/properties.ts';
import { sayUndecided } from './say-undecided.ts';
import type { NameInSource } from './say-undecided.ts';

/** A rule whose message was put into the words of the resource's source, and what was said before. */
type ReworkedRule = FindingRule & { readonly message: string; readonly policy_message: string };

/**
 * A finding whose messages call properties as the resource's source does. Policies name them as the provider does, in
 * backticks; Terraform has names of its own, except for what azapi writes, which is Azure's document, and so has SAM.
 * What can't be decided is told with properties, too, in place of the attributes of conditions.
 */
export function sayAsSource(finding: Finding, resource: Resource): Finding {
  const { status } = finding;
  if (status !== 'FAIL' && status !== 'EXEMPT' && status !== 'ERROR') return finding;
  const nameOf = namesOf(resource);
  const rules = finding.rules.map((rule): FindingRule | ReworkedRule => {
    if (rule.message === undefined) return rule;
    const message = reword(rule, rule.message);
    return message === rule.message ? rule : { ...rule, message, policy_message: rule.message };
  });
  return { ...finding, rules };

  function reword({ effect }: FindingRule, message: string): string {
    if (status === 'ERROR') return sayUndecided(message, resource, nameOf);
    // What no ALLOW rule matched is told with conditions, not with words of the policy.
    if (effect !== 'DENY') return message;
    const located = locateSecrets(message, resource, nameOf);
    if (nameOf === undefined) return located;
    return located.replace(/`([^`\n]+)`/g, (quoted, property: string) => {
      const name = nameOf(property);
      return name === undefined ? quoted : `\`${name.replace(/ (of|or) /g, '` $1 `')}\``;
    });
  }
}

const mostNamed = 5;
const longestName = 100;

/** Where secrets stand, in place of the attribute that lists it: "A password (`plaintext_secrets`) can be read". */
function locateSecrets(message: string, resource: Resource, nameOf?: NameInSource): string {
  return message.replace(/ \(`([\w.]+)`\)/g, (written, attribute: string) => {
    if (!namedLists.includes(attribute)) return written;
    const listed = at(resource, ...attribute.split('.'));
    const names = (Array.isArray(listed) ? listed : []).filter((one) => typeof one === 'string');
    if (names.length === 0) return '';
    const shown = names.slice(0, mostNamed).map((name) => quote(nameOf?.(name) ?? name));
    const more = names.length - shown.length;
    return ` (${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
  });
}

const quote = (name: string): string =>
  `\`${(name.length > longestName ? `${name.slice(0, longestName)}…` : name).replaceAll(/[`\p{Cc}]/gu, '?')}\``;

/** Undefined where the source calls everything as the provider does. */
function namesOf({ type, source, properties }: Resource): NameInSource | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const { format, terraform_type, sam_type } = source as Readonly<Record<string, unknown>>;
  if (typeof sam_type === 'string') return (property) => samProperty(sam_type, type, property);
  if (format !== 'terraform') return undefined;
  const terraformType = typeof terraform_type === 'string' ? terraform_type : '';
  return terraformType.startsWith('azapi_')
    ? undefined
    : (property) => terraformArgument({ type, terraformType, properties }, property);
}

/** What a rule said before it was put into the words of a source: as its policy writes it, or as its condition is evaluated. */
export const writtenMessage = ({ message, policy_message: written }: FindingRule): string[] => {
  const text = written ?? message;
  return typeof text === 'string' ? [text] : [];
};
