import { at, isUnknown } from '../values.ts';

/**
 * A value of a Terraform plan, at a path of names; of nested blocks, the first. A plan shows what AWS fills in by itself
 * as known after apply: where no expression of the configuration gives the value, it is absent.
 */
export function planned(value: unknown, ...names: readonly string[]): unknown {
  let here = value;
  for (const name of names) {
    const inner = Array.isArray(here) ? (here[0] as unknown) : here;
    here = at(inner, name);
    if (isUnknown(here) && !isUnknown(inner) && !here.present && !here.target) return undefined;
  }
  return here;
}

/**
 * The same, of what no provider fills in by itself: where it is known after apply, the configuration gives it, also where
 * the plan does not show its expression, as of dynamic blocks.
 */
export function configured(value: unknown, ...names: readonly string[]): unknown {
  let here = value;
  for (const name of names) here = at(Array.isArray(here) ? (here[0] as unknown) : here, name);
  return here;
}

/** The first of the nested blocks at a path of names. */
export function plannedBlock(value: unknown, ...names: readonly string[]): unknown {
  const blocks = planned(value, ...names);
  return Array.isArray(blocks) ? (blocks[0] as unknown) : blocks;
}
