import { UnknownValue } from '../../../../contract/resources.ts';
import type { Attribute } from '../../normaliser.ts';
import { at, isUnknown, readJson } from '../../values.ts';

export const openMethodsAttribute = {
  open_methods: {
    type: 'list<string>',
    meaning:
      'methods of the OpenAPI definition that require no authentication, such as `GET /orders`; an API key alone does not count. For an HTTP API with a target, the route that AWS creates (`$default`). Excludes OPTIONS, which browsers send without credentials. Missing in exports, which omit the methods',
  },
} as const satisfies Record<string, Attribute>;

const verbs = new Map(
  ['get', 'put', 'post', 'delete', 'patch', 'head', 'trace'].map((verb) => [
    verb,
    verb.toUpperCase(),
  ]),
).set('x-amazon-apigateway-any-method', 'ANY');

/** The methods of a definition in OpenAPI, or Swagger; one that stands elsewhere may have any. */
export function openMethods(
  body: unknown,
  elsewhere?: unknown,
): readonly (string | UnknownValue)[] | UnknownValue {
  if (body === undefined) {
    return elsewhere === undefined
      ? []
      : new UnknownValue('the OpenAPI definition, which is not in the input', { present: false });
  }
  const definition = readJson(body);
  const paths = at(definition, 'paths');
  if (isUnknown(paths)) return new UnknownValue(paths.expression, { present: false });
  return entriesOf(paths).flatMap(([path, methods]): (string | UnknownValue)[] =>
    isUnknown(methods)
      ? [methods]
      : entriesOf(methods).flatMap(([key, operation]): (string | UnknownValue)[] => {
          const verb = verbs.get(key.toLowerCase());
          if (verb === undefined) return [];
          const isOpen = isOpenTo(operation, definition);
          return isOpen === true ? [`${verb} ${path}`] : isOpen === false ? [] : [isOpen];
        }),
  );
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

function isOpenTo(operation: unknown, definition: unknown): boolean | UnknownValue {
  const given = at(operation, 'x-amazon-apigateway-auth', 'type');
  const security = at(operation, 'security');
  const unknown = [operation, given, security].find(isUnknown);
  if (unknown) return new UnknownValue(unknown.expression, { present: false });
  if (typeof given === 'string' && given.toUpperCase() !== 'NONE') return false;
  if (Array.isArray(security)) return !security.some((one) => asksWho(one, definition));
  // API Gateway reads `security` of methods; whether that of the whole definition counts, its documentation does not say.
  return at(definition, 'security') === undefined
    ? true
    : new UnknownValue('whether the top-level `security` of the definition applies', {
        present: false,
      });
}

/** Whether a requirement has a scheme that is more than a key of the API. */
const asksWho = (requirement: unknown, definition: unknown): boolean =>
  isUnknown(requirement) ||
  entriesOf(requirement).some(([name]) => {
    const scheme =
      at(definition, 'components', 'securitySchemes', name) ??
      at(definition, 'securityDefinitions', name);
    return (
      isUnknown(scheme) ||
      at(scheme, 'type') !== 'apiKey' ||
      ['authorizer', 'authtype'].some(
        (one) => at(scheme, `x-amazon-apigateway-${one}`) !== undefined,
      )
    );
  });
