import type { Dialect } from './dialects.ts';

/** How the effective cost of a row is made of fields. */
export interface EffectiveRule {
  readonly add: readonly number[];
  readonly subtract: readonly number[];
  /** Only where this field has a value; undefined: always. */
  readonly where: readonly number[] | undefined;
}

/** The rules whose columns an export has; without them, the billed cost counts. */
export function effectiveRules(
  { effectiveBy }: Dialect,
  columns: readonly string[],
): ReadonlyMap<string, EffectiveRule> | undefined {
  if (!effectiveBy) return undefined;
  const fieldOf = (name: string): number => columns.indexOf(name.toLowerCase());
  const rules = new Map<string, EffectiveRule>();
  for (const [category, { add: added, subtract: subtracted = [], where }] of Object.entries(
    effectiveBy,
  )) {
    const rule = {
      add: added.map(fieldOf),
      subtract: subtracted.map(fieldOf),
      where: where === undefined ? undefined : [fieldOf(where)],
    };
    const used = [...rule.add, ...rule.subtract, ...(rule.where ?? [])];
    if (used.every((field) => field >= 0)) rules.set(category, rule);
  }
  return rules;
}
