import type { ContentOrder } from './order.ts';
import { mappingsOf, readFramework } from './framework.ts';
import type { AskedFramework } from './framework.ts';

/** What a report is about, ready for asking. Times are milliseconds since the epoch. */
export interface Scope {
  /** The moment it tells of. */
  readonly at: number;
  /** What changed from here on is within it; absent: all that is known. */
  readonly since?: number;
  /** What changed before is within it. */
  readonly until: number;
  /** The end as it is shown: that of the range, or the moment itself. */
  readonly end: number;
  /** It ended more than some minutes before the moment, so that what is now may differ from what was then. */
  readonly isPast: boolean;
  readonly framework?: AskedFramework;
  readonly environments?: ReadonlySet<string>;
  /** In lower case. */
  readonly providers?: ReadonlySet<string>;
}

/** Milliseconds that pass between a range up to now and its report: what was then is told as what is now. */
const asNow = 5 * 60_000;

export function readScope({ at, framework, scope }: ContentOrder): Scope {
  const { date_range: range, environments, cloud_providers: providers } = scope;
  // What happens at the moment itself belongs to it.
  const end = range ? Date.parse(range.end) : Infinity;
  return {
    at,
    ...(range ? { since: Date.parse(range.start) } : {}),
    until: Math.min(end, at + 1),
    end: Math.min(end, at),
    isPast: at - end > asNow,
    ...(framework === undefined ? {} : { framework: readFramework(framework) }),
    ...(environments ? { environments: new Set(environments) } : {}),
    ...(providers ? { providers: new Set(providers.map((one) => one.toLowerCase())) } : {}),
  };
}

/** Whether a resource, or a violation of one, is what the report is about. */
export const isInScope = (
  { environments, providers }: Scope,
  { environment, provider }: { readonly environment?: string | undefined; provider: string },
): boolean =>
  (!environments || (environment !== undefined && environments.has(environment))) &&
  (!providers || providers.has(provider.toLowerCase()));

/** Whether labels of a policy, or of a violation, are of the framework that is asked for. */
export const isOfFramework = ({ framework }: Scope, labels: readonly string[]): boolean =>
  !framework || mappingsOf(labels, framework).length > 0;

/** Whether it is about anything less than everything, at whatever time. */
export const isNarrowed = ({ framework, environments, providers }: Scope): boolean =>
  framework !== undefined || environments !== undefined || providers !== undefined;
