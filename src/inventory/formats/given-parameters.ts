import { nearestWord } from '../../contract/nearest.ts';
import type { DocumentProblem } from '../model.ts';

/** A parameter that a template does not have; another may be meant. */
export function noParameter(name: string, known: Iterable<string>): DocumentProblem {
  const near = nearestWord(name, known);
  const meant = near === undefined ? '' : `; did you mean ${near}?`;
  return { message: `the template has no parameter ${name}${meant}`, affectsAll: true };
}

/** Values that a message names. */
const mostAllowed = 10;

/** What a message says of a parameter with another value. The provider would not deploy the template. */
export function notAllowed(allowed: readonly unknown[]): string {
  const named = allowed.slice(0, mostAllowed).map((one) => JSON.stringify(one));
  const more = allowed.length > mostAllowed ? ', …' : '';
  return `must have one of its allowed values: ${named.join(', ')}${more}`;
}
