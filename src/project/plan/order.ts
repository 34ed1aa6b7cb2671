import { fingerprint } from '../compare/fingerprint.ts';
import { kindOf } from '../kinds/kinds.ts';
import type { Change } from './change.ts';

/** One request of an apply. */
export interface Step {
  readonly change: Change;
  /** `aside` renames a policy to a temporary name, so that others can pass through its old one. */
  readonly kind: 'whole' | 'aside';
  /** Indexes of the steps, in the same list, that must succeed before this one starts. */
  readonly waitsFor: readonly number[];
}

/** The temporary name of a policy in a rename cycle. The same change always gives the same name. */
export const temporaryName = ({ key, before, after }: Change): string =>
  `govctl-renaming-${fingerprint([key, before?.name, after?.name]).slice(0, 12)}`;

/** Changes grouped by `Kind.turn`. */
export function inTurns(changes: readonly Change[]): Change[][] {
  const turns = new Map<number, Change[]>();
  for (const change of changes) {
    const { turn } = kindOf(change);
    const at = change.action === 'delete' ? turn.delete : turn.write;
    const together = turns.get(at);
    if (together) together.push(change);
    else turns.set(at, [change]);
  }
  return [...turns].sort(([a], [b]) => a - b).map(([, together]) => together);
}

/**
 * Orders changes of objects with unique names: a change that takes a name waits for the change that frees it; a cycle of
 * renames starts with a temporary name for one policy. Deletions that no change waits for come last. Changes that do not
 * share names do not wait for each other.
 * @param isAside changes whose policy an interrupted apply already left under its temporary name
 */
export function orderChanges(
  changes: readonly Change[],
  isAside: (change: Change) => boolean = () => false,
): Step[] {
  const ordered = [
    ...changes.filter(({ action }) => action !== 'delete'),
    ...changes.filter(({ action }) => action === 'delete'),
  ];
  const gives = new Map<string, Change>();
  for (const change of ordered) {
    const name = isAside(change) ? undefined : givenName(change);
    if (name !== undefined) gives.set(name, change);
  }
  const giverFor = (change: Change): Change | undefined => {
    const name = takenName(change);
    return name === undefined ? undefined : gives.get(name);
  };
  const asides = circleOpeners(ordered, giverFor);
  const steps = [
    ...asides.map((change) => ({ change, kind: 'aside' as const })),
    ...ordered.map((change) => ({ change, kind: 'whole' as const })),
  ];
  const asideAt = new Map(asides.map((change, index) => [change, index]));
  const wholeAt = new Map(ordered.map((change, index) => [change, asides.length + index]));
  return steps.map(({ change, kind }) => {
    if (kind === 'aside') return { change, kind, waitsFor: [] };
    const giver = giverFor(change);
    const waits = [asideAt.get(change), giver && (asideAt.get(giver) ?? wholeAt.get(giver))];
    return { change, kind, waitsFor: waits.filter((at) => at !== undefined) };
  });
}

function givenName(change: Change): string | undefined {
  const { action, before, after } = change;
  if (!before || !kindOf(change).isUnique) return undefined;
  return action === 'delete' || before.name !== after?.name ? before.name : undefined;
}

function takenName(change: Change): string | undefined {
  const { before, after } = change;
  if (!after || !kindOf(change).isUnique) return undefined;
  return before?.name !== after.name ? after.name : undefined;
}

/** One change per cycle: the one with the smallest key, so that a repeated apply picks the same one. */
function circleOpeners(
  changes: readonly Change[],
  giverFor: (change: Change) => Change | undefined,
): Change[] {
  const openers: Change[] = [];
  const visited = new Set<Change>();
  for (const start of changes) {
    const path: Change[] = [];
    let at: Change | undefined = start;
    while (at && !visited.has(at)) {
      visited.add(at);
      path.push(at);
      at = giverFor(at);
    }
    const circle = at ? path.slice(path.indexOf(at)) : [];
    if (at && path.includes(at)) {
      openers.push(circle.reduce((least, next) => (next.key < least.key ? next : least)));
    }
  }
  return openers;
}
