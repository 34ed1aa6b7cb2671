import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { isUnknown } from '../values.ts';

/** Azure's API versions are dates; a preview counts as of its date. */
const version = /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:-[a-z0-9.-]+)?$/i;

function dateOf({ source }: RawResource): string | UnknownValue {
  const given = source['api_version'];
  if (isUnknown(given)) return new UnknownValue(`the API version ${given.expression}`);
  const date = typeof given === 'string' ? version.exec(given.trim())?.[1] : undefined;
  if (date !== undefined) return date;
  return new UnknownValue(
    typeof given === 'string'
      ? `the API version ${given}, which is not a date`
      : 'the API version, which the template does not specify',
  );
}

/**
 * A value that Azure chooses by the API version that a template deploys with: each with the version since which it does,
 * in order. A version before the first of them gives the oldest value, one after the last the newest; where the version
 * is not known, the value isn't either.
 */
export function sinceApiVersion<T>(
  raw: RawResource,
  before: T,
  changes: readonly (readonly [since: string, value: T])[],
): T | UnknownValue {
  const date = dateOf(raw);
  if (isUnknown(date)) return date;
  return changes.findLast(([since]) => since <= date)?.[1] ?? before;
}

/** What a template says, unless it deploys with an API version that does not know the property yet: Azure then takes none. */
export function knownSince(raw: RawResource, since: string, value: unknown): unknown {
  const date = dateOf(raw);
  return isUnknown(date) || since <= date ? value : undefined;
}
