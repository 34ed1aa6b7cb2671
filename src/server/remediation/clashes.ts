import type { Changed } from '../../engine/remediation/patch.ts';

/** A step of an attribute's path, and the action that sets what is there. */
interface Step {
  set?: { readonly n: number; readonly after: string | undefined };
  readonly below: Map<string, Step>;
}

const newStep = (): Step => ({ below: new Map() });

interface Clash {
  readonly path: string;
  /** The action that wants another value. */
  readonly n: number;
}

/** What the actions of a plan set on each resource: two must not want different values of one attribute. */
export interface Clashes {
  /** The first change that cannot be made beside those that were added. */
  find(resource: string, changes: readonly Changed[]): Clash | undefined;
  add(resource: string, n: number, changes: readonly Changed[]): void;
}

/** Attributes are found by their steps: a thousand actions may each set a hundred attributes of one resource. */
export function createClashes(): Clashes {
  const resources = new Map<string, Step>();
  return {
    find(resource, changes) {
      const root = resources.get(resource);
      if (!root) return undefined;
      for (const { path, after } of changes) {
        const n = clashAt(root, path, JSON.stringify(after));
        if (n !== undefined) return { path, n };
      }
      return undefined;
    },
    add(resource, n, changes) {
      const root = resources.get(resource) ?? newStep();
      resources.set(resource, root);
      for (const { path, after } of changes) {
        let step = root;
        for (const name of path.split('.')) {
          const next = step.below.get(name) ?? newStep();
          step.below.set(name, next);
          step = next;
        }
        step.set ??= { n, after: JSON.stringify(after) };
      }
    },
  };
}

/** The action that sets the attribute to another value, all of what it is in, or something in it. */
function clashAt(root: Step, path: string, after: string | undefined): number | undefined {
  let step = root;
  for (const name of path.split('.')) {
    // It sets what this is in.
    if (step.set) return step.set.n;
    const next = step.below.get(name);
    if (!next) return undefined;
    step = next;
  }
  if (step.set) return step.set.after === after ? undefined : step.set.n;
  return anyBelow(step);
}

function anyBelow(step: Step): number | undefined {
  let inner: Step | undefined = step;
  while (inner && !inner.set) [inner] = inner.below.values();
  return inner?.set?.n;
}
