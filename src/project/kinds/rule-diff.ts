import { canonicalJson } from '../../contract/canonical-json.ts';
import { diffSequences } from '../compare/sequence-diff.ts';
import type { FieldChange } from './kind.ts';

/** A rule in normal form. */
export interface NormalRule {
  readonly condition: string;
  readonly effect: string;
  readonly message?: string;
}

type Rules = readonly NormalRule[];
const ruleFields = ['condition', 'effect', 'message'] as const;

/**
 * Rules that stayed are matched first, so that one inserted on top doesn't change all below; between them, an old
 * and a new rule at the same place are one rule that changed.
 */
export function diffRules(before: Rules, after: Rules): FieldChange[] {
  const same = (a: Rules[number], b: Rules[number]) => canonicalJson(a) === canonicalJson(b);
  const changes: FieldChange[] = [];
  let removed: { rule: Rules[number]; at: number }[] = [];
  let added: { rule: Rules[number]; at: number }[] = [];
  const flush = (): void => {
    const pairs = Math.min(removed.length, added.length);
    removed.forEach(({ rule, at }, index) => {
      const partner = added[index];
      if (index < pairs && partner) changes.push(...diffRule(rule, partner.rule, partner.at));
      else changes.push({ path: `rules[${at}]`, before: rule, after: null });
    });
    for (const { rule, at } of added.slice(pairs)) {
      changes.push({ path: `rules[${at}]`, before: null, after: rule });
    }
    [removed, added] = [[], []];
  };
  for (const step of diffSequences(before, after, same)) {
    if (step.kind === 'same') flush();
    else if (step.kind === 'removed') removed.push({ rule: step.value, at: step.before });
    else added.push({ rule: step.value, at: step.after });
  }
  flush();
  // Only the order changed, and the pairs above say it badly: the whole list says it well.
  return changes.length > 0 ? changes : [{ path: 'rules', before, after }];
}

function diffRule(before: Rules[number], after: Rules[number], index: number): FieldChange[] {
  return ruleFields.flatMap((field) => {
    const old = before[field] ?? null;
    const next = after[field] ?? null;
    return old === next ? [] : [{ path: `rules[${index}].${field}`, before: old, after: next }];
  });
}
