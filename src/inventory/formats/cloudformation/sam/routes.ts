import type { Fields } from '../resolver.ts';
import { isFields, own } from '../resolver.ts';
import type { Event } from './events.ts';
import type { Declared, Made } from './written.ts';
import { added, fieldOf, isIntrinsic, ref, unknownPart } from './written.ts';

/** What differs between REST and HTTP APIs. */
interface Kind {
  readonly type: string;
  readonly suffix: string;
  /** What an authorizer of the API itself makes of a route. */
  readonly ofAuthorizer: string;
  readonly properties: (api: unknown, method: unknown, path: unknown) => Fields;
}

const kinds: Readonly<Record<string, Kind>> = {
  Api: {
    type: 'AWS::ApiGateway::Method',
    suffix: 'Method',
    ofAuthorizer: 'CUSTOM',
    properties: (RestApiId, HttpMethod) => ({ RestApiId, HttpMethod }),
  },
  HttpApi: {
    type: 'AWS::ApiGatewayV2::Route',
    suffix: 'Route',
    ofAuthorizer: 'JWT',
    properties: (ApiId, method, path) => ({
      ApiId,
      RouteKey:
        typeof method === 'string' && typeof path === 'string'
          ? `${method.toUpperCase()} ${path}`
          : '$default',
    }),
  },
};

/**
 * The route that an event adds to an API of the template. SAM writes it into the API's OpenAPI document, with the authorizer
 * of the event, else the API's default; an API with a document of its own keeps that.
 * @param api of the template, or implied
 */
export function routeOf(
  declared: Declared,
  event: Event,
  api: { readonly id: string; readonly properties: Fields },
): Made[] {
  const kind = kinds[event.type ?? ''];
  const hasDocument = ['DefinitionBody', 'DefinitionUri'].some((name) =>
    Object.hasOwn(api.properties, name),
  );
  if (!kind || (hasDocument && !Object.hasOwn(api.properties, 'MergeDefinitions'))) return [];
  const [method, path] = ['Method', 'Path'].map((name) =>
    declared.resolve(own(event.properties, name)),
  );
  const verb = typeof method === 'string' && /^(?:\*|x-amazon.*)$/i.test(method) ? 'ANY' : method;
  return [
    added(declared, `${event.name}${kind.suffix}`, kind.type, {
      ...kind.properties(ref(api.id), verb, path),
      AuthorizationType: authorization(
        [own(event.properties, 'Auth'), own(api.properties, 'Auth')],
        declared.resolve,
        kind.ofAuthorizer,
      ),
    }),
  ];
}

function authorization(
  [ofEvent, ofApi]: readonly unknown[],
  resolve: (written: unknown) => unknown,
  ofAuthorizer: string,
): unknown {
  if (isIntrinsic(ofEvent) || isIntrinsic(ofApi)) return unknownPart('the authorizer');
  const wanted = fieldOf(ofEvent, 'Authorizer') ?? fieldOf(ofApi, 'DefaultAuthorizer');
  if (wanted === undefined || wanted === null) return 'NONE';
  const name = resolve(wanted);
  if (typeof name !== 'string') return unknownPart('the authorizer');
  return name === 'NONE' || name === 'AWS_IAM' ? name : ofAuthorizer;
}

/** The API of the template that an event names: undefined for another one, which has its routes elsewhere. */
export function namedApi(event: Event, names: string): string | undefined {
  const api = own(event.properties, names);
  const name = isFields(api) ? own(api, 'Ref') : api;
  return typeof name === 'string' ? name : undefined;
}
