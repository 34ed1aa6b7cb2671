import type { EventType } from '../../contract/events.ts';
import { Severity } from '../../contract/policies.ts';
import type { StoredWebhook } from '../webhooks/collection.ts';

/**
 * What the filters of webhooks look at. A facet that is left out is not one of the event's type, and no filter on it
 * keeps the event back; `null` says that the type has it but this event doesn't, so a filter on it does.
 */
export interface Facets {
  readonly severity?: Severity | null;
  readonly environment?: string | null;
  readonly provider?: string | null;
}
export type Facet = keyof Facets;

type Data = Readonly<Record<string, unknown>>;

interface Faceted {
  /** The key of the data's subject; absent: the facets are among the data itself. */
  readonly in?: string;
  readonly facets: readonly Facet[];
}

const violation: Faceted = { in: 'violation', facets: ['severity', 'environment', 'provider'] };
const policy: Faceted = { in: 'policy', facets: ['severity'] };
const resource: Faceted = { in: 'resource', facets: ['environment', 'provider'] };
const noFacets: Faceted = { facets: [] };

/** Which types have which facets. Those without any pass every filter. */
const facetsByType: Partial<Record<EventType, Faceted>> = {
  'policy.violation.created': violation,
  'policy.violation.resolved': violation,
  // The last two are its violation's: this form of the data does not hold them.
  'policy.violation.detected': { facets: ['severity', 'environment', 'provider'] },
  'policy.deployment.completed': policy,
  'policy.enforcement.failed': policy,
  'policy.quarantined': policy,
  'resource.discovered': resource,
  'resource.changed': resource,
  'cost.anomaly.detected': { facets: ['severity', 'provider'] },
  'budget.threshold.exceeded': { facets: ['severity'] },
};

export const facetNamesOf = (type: EventType): readonly Facet[] =>
  (facetsByType[type] ?? noFacets).facets;

/** The facets of an event, as its data has them. */
export function facetsOf(type: EventType, data: Data): Facets {
  const { in: subject, facets } = facetsByType[type] ?? noFacets;
  const of: unknown = subject === undefined ? data : data[subject];
  const textOf = (field: string): string | null => {
    const value = isObject(of) && Object.hasOwn(of, field) ? of[field] : undefined;
    return typeof value === 'string' ? value : null;
  };
  return Object.fromEntries(
    facets.map((facet) => [
      facet,
      facet === 'severity' ? severityOf(textOf('severity'), subject) : textOf(facet),
    ]),
  );
}

/** Form B has severities in lower case; a policy without one counts as MEDIUM. */
function severityOf(given: string | null, subject: string | undefined): Severity | null {
  if (given === null) return subject === 'policy' ? 'MEDIUM' : null;
  return Severity.safeParse(given.toUpperCase()).data ?? null;
}

const isObject = (value: unknown): value is Data => typeof value === 'object' && value !== null;

/** Whether the filters of a webhook let an event through. */
export function passes({ filters = {} }: Pick<StoredWebhook, 'filters'>, facets: Facets): boolean {
  return (
    isAmong(filters.severity, facets.severity) &&
    isAmong(filters.environments, facets.environment) &&
    isAmong(filters.cloud_providers, facets.provider)
  );
}

function isAmong(
  allowed: readonly string[] | undefined,
  value: string | null | undefined,
): boolean {
  if (!allowed || allowed.length === 0 || value === undefined) return true;
  if (value === null) return false;
  return allowed.some((one) => one.toLowerCase() === value.toLowerCase());
}
