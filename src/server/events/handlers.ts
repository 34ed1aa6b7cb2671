import { invalidField } from '../http/invalid-body.ts';
import { GovctlError } from '../../contract/errors.ts';
import { isOfCost } from '../../contract/events.ts';
import type { AnsweredEvent, EventEnvelope, EventListQuery } from '../../contract/events.ts';
import { unfitForJson } from '../../contract/resources.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import { seesCost } from '../cost/service.ts';
import type { Call, Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import type { Json } from '../json.ts';
import { insufficientScope } from '../http/insufficient-scope.ts';
import { listPage } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { events } from './collection.ts';
import type { StoredEvent } from './collection.ts';
import { emit } from './emit.ts';
import { noEvent, readEvent } from './read.ts';
import { replay } from './replay.ts';
import { sampleData } from './samples.ts';
import { envelopeOf } from './service.ts';
import { sinceReader } from './since.ts';

/** As a list has it, around the data as it is stored. */
const showEvent = ({ data, ...event }: StoredEvent): Json<AnsweredEvent> =>
  `${JSON.stringify(event).slice(0, -1)},"data":${data}}` as Json<AnsweredEvent>; // put together of its fields

const eventFilters = ({ type, since }: EventListQuery, call: Call): Filters => ({
  ...(seesCost(call) ? {} : { of_cost: { any: ['false'] } }),
  ...(type ? { type: { any: type } } : {}),
  ...(since === undefined ? {} : { since: { any: [since] } }),
});

export const eventHandlers = (deps: Deps): Handlers['events'] => ({
  list: ({ query }, call) =>
    listPage(sinceReader(deps.store), events, {
      query,
      filters: eventFilters(query, call),
      plural: 'events',
      show: ({ doc }) => showEvent(doc),
    }),

  get: ({ params, query }, call) =>
    whenKnown(readEvent(deps.store, params.id), ({ doc }) => {
      if (isOfCost(doc.type) && !seesCost(call)) throw noEvent(params.id);
      return { body: envelopeOf(doc, query.webhook_id) as Json<EventEnvelope> }; // one of its two forms
    }),

  replay: async ({ body }, call) => {
    const counts = (await call.isRepeated())
      ? { events: 0, deliveries: 0 }
      : await replay(deps, call, body);
    return call.transact(async () => ({ body: toJson(counts) }));
  },

  trigger: async ({ body: { type, data = {} } }, call) => {
    if (!call.isLocal) {
      throw new GovctlError(
        'not_local',
        'Sample events require a local server: a loopback address, no public URL',
        { hint: 'Start one with --host 127.0.0.1, or run `govctl webhook test` for one receiver.' },
      );
    }
    if (isOfCost(type) && !seesCost(call)) {
      throw insufficientScope(call.principal, 'cost:read', `An event of the type ${type}`);
    }
    const unfit = unfitForJson(data);
    if (unfit !== undefined) throw invalidField('malformed_request', 'data', unfit);
    const made = mergeData(sampleData(type), data);
    return call.transact(async (tx) => {
      const event = await emit(deps, tx, type, made);
      await recordAudit(deps, tx, call.actor, 'event.trigger', event.id);
      return { body: showEvent(event), headers: { Location: `/v1/events/${event.id}` } };
    });
  },
});

type Data = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is given, over what is there: objects within each other, all else is replaced. */
const mergeData = (under: Data, given: Data): Data =>
  // Entries make a key like `__proto__` a plain one.
  Object.fromEntries([
    ...Object.entries(under),
    ...Object.entries(given).map(([key, value]) => {
      const below = Object.hasOwn(under, key) ? under[key] : undefined;
      return [key, isObject(value) && isObject(below) ? mergeData(below, value) : value];
    }),
  ]);
