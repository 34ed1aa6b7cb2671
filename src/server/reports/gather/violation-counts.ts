import { severities } from '../../../contract/policies.ts';
import type { Severity } from '../../../contract/policies.ts';
import type {
  Replayed,
  ResourceViolations,
  ViolationCounts,
} from '../../../report/content/facts.ts';
import { noneBySeverity } from '../../../report/content/counters.ts';
import { rounded } from '../../../report/content/wording.ts';

export const newViolationCounts = (): ViolationCounts => ({
  open: 0,
  openAtStart: 0,
  exempt: 0,
  wasOpen: 0,
  opened: 0,
  resolved: 0,
  exempted: 0,
  points: 0,
  bySeverity: noneBySeverity(),
});

/** Adds a violation to what is counted of something. */
export function addTo(
  counts: ViolationCounts,
  { atStart, atEnd, wasOpen, steps }: Replayed,
  severity: Severity,
  points: number,
): void {
  if (atStart === 'OPEN') counts.openAtStart += 1;
  if (wasOpen) counts.wasOpen += 1;
  if (atEnd === 'EXEMPT') counts.exempt += 1;
  if (atEnd === 'OPEN') {
    counts.open += 1;
    counts.points = rounded(counts.points + points);
    counts.bySeverity[severity] += 1;
  }
  for (const { from, to } of steps) {
    if (to === 'OPEN' && from !== 'OPEN') counts.opened += 1;
    if (from === 'OPEN' && to === 'RESOLVED') counts.resolved += 1;
    if (from === 'OPEN' && to === 'EXEMPT') counts.exempted += 1;
  }
}

const mostTop = 25;

/** Keeps the resources most at risk; they come one after another, as violations come by resource. */
export interface TopResources {
  add(
    about: Omit<ResourceViolations, 'open' | 'points' | 'bySeverity'>,
    severity: Severity,
    points: number,
  ): void;
  /** What came up to here is all there is of those resources. */
  settle(): void;
  readonly affected: () => number;
  list(): readonly ResourceViolations[];
}

export function createTopResources(): TopResources {
  let current = new Map<string, ResourceViolations>();
  let top: ResourceViolations[] = [];
  let affected = 0;
  return {
    add(about, severity, points) {
      let known = current.get(about.resource);
      if (!known) {
        known = { ...about, open: 0, points: 0, bySeverity: noneBySeverity() };
        current.set(about.resource, known);
      }
      known.open += 1;
      known.points = rounded(known.points + points);
      known.bySeverity[severity] += 1;
    },
    settle() {
      affected += current.size;
      const least = top.length < mostTop ? undefined : top.at(-1);
      const better = [...current.values()].filter((one) => !least || byRisk(one, least) < 0);
      current = new Map();
      if (better.length > 0) top = [...top, ...better].sort(byRisk).slice(0, mostTop);
    },
    affected: () => affected,
    list: () => top,
  };
}

/** The highest severity of an open violation first, and of one severity the most points. */
const byRisk = (a: ResourceViolations, b: ResourceViolations): number =>
  highestOf(b) - highestOf(a) ||
  b.points - a.points ||
  (a.resource < b.resource ? -1 : Number(a.resource > b.resource));

const highestOf = ({ bySeverity }: ResourceViolations): number =>
  severities.findLastIndex((severity) => bySeverity[severity] > 0);
