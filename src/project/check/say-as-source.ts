import type { Finding, FindingRule } from '../../contract/findings.ts';
import type { Resource } from '../../contract/resources.ts';
import { terraformArgument } from '../../inventory/attributes/arguments.ts';

/** A rule whose message was put into the words of the resource's source, and what its policy says. */
type ReworkedRule = FindingRule & { readonly message: string; readonly policy_message: string };

/**
 * A finding whose messages call properties as the resource's source does. Policies name them as the provider does, in
 * backticks; Terraform has names of its own, except for what azapi writes, which is Azure's document.
 */
export function sayAsSource(finding: Finding, { type, source, properties }: Resource): Finding {
  const terraformType = terraformTypeOf(source);
  if (terraformType === undefined || (finding.status !== 'FAIL' && finding.status !== 'EXEMPT')) {
    return finding;
  }
  const rules = finding.rules.map((rule): FindingRule | ReworkedRule => {
    // What no ALLOW rule matched is told with conditions, not with words of the policy.
    if (rule.message === undefined || rule.effect !== 'DENY') return rule;
    const message = rule.message.replace(/`([^`\n]+)`/g, (quoted, property: string) => {
      const argument = terraformArgument({ type, terraformType, properties }, property);
      return argument === undefined ? quoted : `\`${argument.replace(/ (of|or) /g, '` $1 `')}\``;
    });
    return message === rule.message ? rule : { ...rule, message, policy_message: rule.message };
  });
  return { ...finding, rules };
}

function terraformTypeOf(source: unknown): string | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const { format, terraform_type: type = '' } = source as Readonly<Record<string, unknown>>;
  return format === 'terraform' && typeof type === 'string' && !type.startsWith('azapi_')
    ? type
    : undefined;
}

/** What a rule says as its policy writes it. */
export const writtenMessage = ({ message, policy_message: written }: FindingRule): string[] => {
  const text = written ?? message;
  return typeof text === 'string' ? [text] : [];
};
