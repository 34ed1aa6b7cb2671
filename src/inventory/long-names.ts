import { inThrees } from '../contract/in-threes.ts';
import { maxResourceType } from '../contract/policies.ts';
import { maxResourceId } from '../contract/resources.ts';
import type { DocumentProblem, RawResource } from './model.ts';

type Named = Pick<RawResource, 'address' | 'type' | 'at'> & { readonly id?: string };

/**
 * Every finding repeats the ID, address and type of its resource, so they may be as long as the service takes them. No
 * provider's are longer.
 */
export const isShortNamed = (named: Named): boolean => longName(named) === undefined;

/** The problem of a resource that is not short named. */
export function describeLongNamed(named: Named): DocumentProblem {
  const { what, length, most } = longName(named) ?? { what: 'ID', length: 0, most: 0 };
  return {
    message: `the ${what} of this resource has ${inThrees(length)} characters, and at most ${inThrees(most)} are allowed; the resource is not evaluated`,
    at: named.at,
  };
}

function longName({ address, id = address, type }: Named) {
  const named = [
    { what: 'ID', length: Math.max(id.length, address.length), most: maxResourceId },
    { what: 'type', length: type.length, most: maxResourceType },
  ];
  return named.find(({ length, most }) => length > most);
}
