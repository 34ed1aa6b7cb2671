import { countValues } from '../../../count-values.ts';
import type { DocumentProblem } from '../../../model.ts';
import { globalsOf, withGlobals } from '../globals.ts';
import type { Entry } from '../loops.ts';
import type { Fields } from '../resolver.ts';
import { isFields, own } from '../resolver.ts';
import { isUnknown } from '../../../attributes/values.ts';
import { expandApi, expandHttpApi } from './api.ts';
import { expandApplication } from './application.ts';
import type { Event } from './events.ts';
import { eventsOf } from './events.ts';
import type { Expansion } from './expansion.ts';
import { expandFunction } from './function.ts';
import { expandGraphQlApi } from './graphql-api.ts';
import { expandLayer } from './layer.ts';
import { expandStateMachine } from './state-machine.ts';
import { expandTable } from './table.ts';
import { namedApi, routeOf } from './routes.ts';
import type { SamType } from './types.ts';
import { deployedTypes, isSamType } from './types.ts';
import type { Declared, Made } from './written.ts';
import { isMap, pick, unknownPart, without } from './written.ts';

/** "AWS SAM resources and properties" (AWS SAM Developer Guide). What is not here stays as it is declared. */
const expanders: Readonly<Record<SamType, (declared: Declared) => Expansion>> = {
  'AWS::Serverless::Api': expandApi,
  'AWS::Serverless::Application': expandApplication,
  'AWS::Serverless::Function': expandFunction,
  'AWS::Serverless::GraphQLApi': expandGraphQlApi,
  'AWS::Serverless::HttpApi': expandHttpApi,
  'AWS::Serverless::LayerVersion': expandLayer,
  'AWS::Serverless::SimpleTable': expandTable,
  'AWS::Serverless::StateMachine': expandStateMachine,
};

/** APIs that SAM adds for events that name none. */
const implied = [
  { event: 'Api', names: 'RestApiId', id: 'ServerlessRestApi', type: 'AWS::Serverless::Api' },
  { event: 'HttpApi', names: 'ApiId', id: 'ServerlessHttpApi', type: 'AWS::Serverless::HttpApi' },
] as const;

/** A resource of a template, or one that SAM makes of it. */
export interface Deployed extends Entry {
  /** The SAM resource that it comes from. */
  readonly sam?: { readonly type: string; readonly resource: string };
}

/**
 * The resources that a template's SAM resources deploy in their stead, each where the SAM resource stands. A resource
 * that the template declares under the id of one that would be added stays the only one.
 * @param resolving what works out the values of a declared resource; undefined where the resource is left out
 */
export function expandSam(
  entries: readonly Entry[],
  globals: Fields,
  resolving: (declared: Fields) => ((written: unknown) => unknown) | undefined,
): { readonly deployed: readonly Deployed[]; readonly notices: readonly DocumentProblem[] } {
  const written: ReadonlySet<string> = new Set(entries.map(({ key }) => key));
  const taken = new Set(written);
  const notices: DocumentProblem[] = [];
  const events: { readonly entry: Entry; readonly declared: Declared; readonly event: Event }[] =
    [];
  const apisById = new Map<string, Pick<Declared, 'id' | 'type' | 'properties'>>();
  const implying = new Map<string, { readonly entry: Entry; readonly declared: Declared }[]>();
  const place = (made: readonly Made[], { key, from }: Entry, type: string): Deployed[] =>
    made.flatMap(({ id, type: Type, properties, attributes }) => {
      if (id !== key && written.has(id)) notices.push(noticeOfTwo(id, key, from));
      if (id !== key && taken.has(id)) return [];
      taken.add(id);
      const value = { ...attributes, Type, Properties: properties };
      return [{ key: id, value, from, sam: { type, resource: key } }];
    });
  const mayTake = createGiving(globals);
  const deployed = entries.flatMap((entry): readonly Deployed[] => {
    const declared = read(entry, { globals, mayTake }, resolving);
    if (!declared) return [entry];
    if ('unread' in declared) {
      notices.push(declared.unread);
      return [declared.deployed];
    }
    const { made, unknownEvents = [] } = expanders[declared.type](declared);
    notices.push(...unknownEvents.map((event) => noticeOf(event, entry)));
    apisById.set(declared.id, declared);
    const its = declared.type === 'AWS::Serverless::Function' ? eventsOf(declared) : [];
    for (const event of its) events.push({ entry, declared, event });
    for (const { event, names, id } of implied) {
      const isImplied = eventsOf(declared).some(
        ({ type, properties }) => type === event && own(properties, names) === undefined,
      );
      if (isImplied) implying.set(id, [...(implying.get(id) ?? []), { entry, declared }]);
    }
    return place(made, entry, declared.type);
  });
  const apis = implied.flatMap(({ id, type }) => {
    const [first, ...more] = implying.get(id) ?? [];
    if (!first || taken.has(id)) return [];
    const conditions = new Set(
      [first, ...more].map(({ declared }) => own(declared.attributes, 'Condition')),
    );
    const properties = withGlobals(type, impliedProperties[id] ?? {}, globals);
    const api = {
      id,
      type,
      properties: isFields(properties) ? properties : {},
      attributes: conditions.size === 1 ? pick(first.declared.attributes, 'Condition') : {},
      resolve: first.declared.resolve,
    };
    apisById.set(id, api);
    return place(expanders[type](api).made, first.entry, type);
  });
  const routes = events.flatMap(({ entry, declared, event }) => {
    const one = implied.find((each) => each.event === event.type);
    if (!one) return [];
    const isImplied = own(event.properties, one.names) === undefined;
    const api = apisById.get((isImplied ? one.id : namedApi(event, one.names)) ?? '');
    return api?.type === one.type ? place(routeOf(declared, event, api), entry, declared.type) : [];
  });
  return { deployed: [...deployed, ...apis, ...routes], notices };
}

const impliedProperties: Readonly<Record<string, Fields>> = {
  ServerlessRestApi: { StageName: 'Prod' },
};

/** A SAM resource whose properties are not known as a whole. */
interface Unread {
  readonly unread: DocumentProblem;
  readonly deployed: Deployed;
}

/** Values that `Globals` may give to the resources of one template: each of them takes all. */
const maxGiven = 200_000;
const tooMuchGiven = unknownPart('the Globals, which are too large for this number of resources');

/** @returns whether one more resource of a type may take what `Globals` give it */
function createGiving(globals: Fields): (type: string) => boolean {
  const sizes = new Map<string, number>();
  let left = maxGiven;
  return (type) => {
    const size = sizes.get(type) ?? countValues(globalsOf(type, globals));
    sizes.set(type, size);
    left -= size;
    return left >= 0;
  };
}

function read(
  entry: Entry,
  { globals, mayTake }: { readonly globals: Fields; readonly mayTake: (type: string) => boolean },
  resolving: (declared: Fields) => ((written: unknown) => unknown) | undefined,
): Declared | Unread | undefined {
  const { key, value, from } = entry;
  if (!isFields(value)) return undefined;
  const type = own(value, 'Type');
  if (!isSamType(type)) return undefined;
  const resolve = resolving(value);
  if (!resolve) return undefined;
  const written = mayTake(type)
    ? withGlobals(type, own(value, 'Properties') ?? {}, globals)
    : tooMuchGiven;
  const properties = isMap(written) ? written : resolve(written);
  if (isUnknown(properties) || (isMap(properties) && Object.hasOwn(properties, 'Fn::Transform'))) {
    const message = `the properties of ${key} are not fully known, so the resources that they add, such as a role, are not checked`;
    return {
      unread: { message, at: ['Resources', from, 'Properties'] },
      deployed: {
        ...entry,
        value: {
          ...value,
          Type: deployedTypes[type],
          ...(written === tooMuchGiven ? { Properties: tooMuchGiven } : {}),
        },
        sam: { type, resource: key },
      },
    };
  }
  if (!isMap(properties)) return undefined;
  return { id: key, type, properties, attributes: without(value, 'Type', 'Properties'), resolve };
}

const noticeOfTwo = (id: string, key: string, from: string): DocumentProblem => ({
  message: `SAM adds ${id} for ${key}, but the template also declares ${id}; only the declared resource is checked`,
  at: ['Resources', from],
});

const noticeOf = ({ name, type }: Event, { key, from }: Entry): DocumentProblem => ({
  message: `the event ${name} of ${key} has ${type === undefined ? 'an unknown type' : `the unknown type ${type}`}, so the resources that it deploys are not checked`,
  at: ['Resources', from, 'Properties', 'Events', name],
});
