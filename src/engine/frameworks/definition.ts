import type { ErrorDetail } from '../../contract/errors.ts';
import type { DefinedControl } from '../../contract/frameworks.ts';
import { createSuggester } from '../../contract/nearest.ts';
import { controlKey, showControl } from '../labels.ts';
import type { Catalogue } from './catalogue.ts';

/** What is wrong with the controls of a definition, at a path such as `controls[3].parent`; the first fault of each kind. */
const mostFaults = 20;

/**
 * Finds IDs that are used twice in any spelling, missing parents, and cycles of parents; in texts for a built-in
 * framework also IDs that it does not have.
 * @param framework its ID
 * @param nameOf what a message calls another control
 */
export function findControlFaults(
  framework: string,
  controls: readonly DefinedControl[],
  builtIn: Catalogue | undefined,
  nameOf = (index: number): string => `controls[${index}]`,
): ErrorDetail[] {
  const at = new Map<string, number>();
  const faults: ErrorDetail[] = [];
  const add = (index: number, field: string, message: string): void =>
    void faults.push({ field: `controls[${index}].${field}`, message });
  for (const [index, { id }] of controls.entries()) {
    const key = controlKey(framework, id);
    const first = at.get(key);
    if (first === undefined) at.set(key, index);
    else add(index, 'id', `must be unique, but ${nameOf(first)} also has the ID ${show(id)}`);
  }
  const known = builtIn && new Set(builtIn.controls.map((id) => controlKey(framework, id)));
  const suggest = createSuggester(new Set(builtIn?.controls ?? controls.map(({ id }) => id)));
  for (const [index, { id, parent }] of controls.entries()) {
    if (known && !known.has(controlKey(framework, id))) {
      const near = suggest(showControl(framework, id));
      const hint = near === undefined ? '' : `; did you mean ${near}?`;
      add(index, 'id', `must be a control of ${builtIn?.name ?? ''}, but is ${show(id)}${hint}`);
    }
    if (parent === undefined || known || at.has(controlKey(framework, parent))) continue;
    const near = suggest(parent);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    add(index, 'parent', `must be the ID of another control, but is ${show(parent)}${hint}`);
    if (faults.length >= mostFaults) break;
  }
  return [...faults, ...findCircles(framework, controls, at)].slice(0, mostFaults);
}

/** Each control is looked at once, however they are linked. */
function findCircles(
  framework: string,
  controls: readonly DefinedControl[],
  indexOf: ReadonlyMap<string, number>,
): ErrorDetail[] {
  const seen = new Set<number>();
  const faults: ErrorDetail[] = [];
  for (const start of controls.keys()) {
    const path: number[] = [];
    const onPath = new Map<number, number>();
    let at: number | undefined = start;
    while (at !== undefined && !seen.has(at)) {
      seen.add(at);
      onPath.set(at, path.length);
      path.push(at);
      const parent: string | undefined = controls[at]?.parent;
      at = parent === undefined ? undefined : indexOf.get(controlKey(framework, parent));
    }
    const from = at === undefined ? undefined : onPath.get(at);
    if (from === undefined) continue;
    const circle = path.slice(from);
    const ids = [...circle, circle[0] ?? 0].map((index) => controls[index]?.id ?? '');
    const shown = ids.length > 8 ? [...ids.slice(0, 4), '…', ...ids.slice(-3)] : ids;
    const message = `must not form a cycle: ${shown.join(' → ')}`;
    faults.push({ field: `controls[${circle[0] ?? 0}].parent`, message });
  }
  return faults;
}

const show = (id: string): string => JSON.stringify(id.slice(0, 100));
