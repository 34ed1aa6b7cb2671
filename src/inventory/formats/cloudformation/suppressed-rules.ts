import { isFields, own } from './resolver.ts';

/**
 * The rules that a resource's Metadata asks to be spared, as tags of policies: of AWS Guard (`guard.SuppressedRules`, a list of
 * names, or of maps from the name to the reason) and of cfn_nag (`cfn_nag.rules_to_suppress`, a list of `{id, reason}`).
 */
export function suppressedRules(metadata: unknown): string[] {
  const guard = listAt(metadata, 'guard', 'SuppressedRules').flatMap((rule) =>
    isFields(rule) ? Object.keys(rule) : [rule],
  );
  const nag = listAt(metadata, 'cfn_nag', 'rules_to_suppress').map((rule) =>
    isFields(rule) ? own(rule, 'id') : undefined,
  );
  return [...asTags('guard', guard), ...asTags('cfn_nag', nag)];
}

const asTags = (tool: string, rules: readonly unknown[]): string[] =>
  rules.flatMap((rule) => (typeof rule === 'string' ? [`${tool}:${rule.trim()}`] : []));

function listAt(metadata: unknown, tool: string, name: string): unknown[] {
  const section = isFields(metadata) ? own(metadata, tool) : undefined;
  const rules = isFields(section) ? own(section, name) : undefined;
  return Array.isArray(rules) ? rules : [];
}
