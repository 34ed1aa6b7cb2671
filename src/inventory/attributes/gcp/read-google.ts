import type { RawResource } from '../../model.ts';
import { configured, planned } from '../aws/plan-value.ts';
import type { Related } from '../related.ts';
import { at, number } from '../values.ts';

/** A value by its path in Google's API. */
export type Get = (...path: readonly string[]) => unknown;

/**
 * Reads a resource. `given` gets what Google never fills in by itself: where that is known after apply, it is unknown.
 */
type ReadGoogle<Values> = (get: Get, raw: RawResource, related: Related, given: Get) => Values;

/**
 * Terraform names what it sends to Google's API as the API does, in snake case, with blocks for objects: one reading
 * serves both. What Terraform names in its own way stands beside, as a second path.
 */
export const fromGoogle = <Values>(read: ReadGoogle<Values>) => ({
  'gcp-assets': (raw: RawResource, related: Related) => {
    const get = getterOf(raw.properties);
    return read(get, raw, related, get);
  },
  terraform: (raw: RawResource, related: Related) =>
    read(plannedOf(raw.properties), raw, related, givenOf(raw.properties)),
});

/** Whether an export shows it as it is; a plan shows what was written. */
export const isAsset = ({ source }: RawResource): boolean => source['format'] === 'gcp-assets';

const getterOf =
  (value: unknown): Get =>
  (...path) =>
    at(value, ...path);

const plannedOf =
  (value: unknown): Get =>
  (...path) =>
    planned(value, ...path.map(snakeCase));

export const givenOf =
  (value: unknown): Get =>
  (...path) =>
    configured(value, ...path.map(snakeCase));

/** An attribute of a list's item, in either spelling. */
export const itemValue = (item: unknown, name: string): unknown =>
  at(item, name) ?? planned(item, snakeCase(name));

/** The same, of what Google never fills in by itself. */
export const givenItem = (item: unknown, name: string): unknown =>
  at(item, name) ?? at(item, snakeCase(name));

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Seconds, also as a duration (`7776000s`), in days. */
export function days(value: unknown) {
  const seconds = number(typeof value === 'string' ? value.replace(/s$/, '') : value);
  return typeof seconds === 'number' ? seconds / 86_400 : seconds;
}
