import { contract } from '../../contract/contract.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { nearestWord } from '../../contract/nearest.ts';

/** Every row of the contract. */
export const endpoints: readonly Endpoint[] = Object.values(contract).flatMap((verbs): Endpoint[] =>
  Object.values(verbs),
);

/** The rows whose path a request's path matches, whatever their method. */
export function endpointsAt(path: string): Endpoint[] {
  const parts = path.split('/');
  const matches = endpoints.filter((row) => {
    const pattern = row.path.split('/');
    return (
      pattern.length === parts.length &&
      pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]))
    );
  });
  // /v1/policies/validate is not a policy named "validate".
  const literal = matches.filter(({ path: pattern }) => pattern === path);
  return literal.length > 0 ? literal : matches;
}

/** The known path nearest to one that is not known. */
export const nearestPath = (path: string): string | undefined =>
  nearestWord(path, new Set(endpoints.map((row) => row.path)));

/** The query fields a row takes; undefined where it says nothing of them. */
export function queryFields({ query }: Endpoint): readonly string[] | undefined {
  if (query === undefined) return undefined;
  // Refined objects keep their shape; zod types the field for objects only.
  const shape = (query as { shape?: Readonly<Record<string, unknown>> }).shape;
  return shape && Object.keys(shape);
}
