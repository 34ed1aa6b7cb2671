import * as z from 'zod';
import { durationForms, parseDuration } from './duration.ts';
import { endpoint } from './endpoint.ts';
import { errorCatalogue } from './errors.ts';
import type { WireErrorName } from './errors.ts';
import { ById, Timestamp, digits } from './lists.ts';

/** The largest snapshot that is taken or read. */
export const largestSnapshot = 256 * 1024 * 1024;
export const snapshotType = 'application/x-ndjson';
/** Requests that the request log keeps. */
export const requestsKept = 1_000;
/** Milliseconds that one call of advance works at most. */
const longestAdvance = 60_000;
/** Milliseconds that a fault may hold a request back. */
const longestDelay = 600_000;

/** `offset_ms` is what the clock is ahead of the system's. */
const LocalClock = z.looseObject({
  now: Timestamp,
  system_now: Timestamp,
  offset_ms: z.number(),
});
export type LocalClock = z.infer<typeof LocalClock>;

/** `reached` is false where the time was up before; the clock then stands where it came. */
const Advanced = z.looseObject({
  ...LocalClock.shape,
  from: Timestamp,
  target: Timestamp,
  reached: z.boolean(),
  /** Moments on the way at which something was due. */
  steps: z.int(),
});
export type Advanced = z.infer<typeof Advanced>;

const Advance = z
  .strictObject({
    by: z
      .string()
      .max(64)
      .refine((text) => parseDuration(text) !== undefined, `must be a duration ${durationForms}`)
      .optional(),
    to: Timestamp.optional(),
    /** Milliseconds of real time that this call may take. */
    within_ms: z.int().min(1).max(longestAdvance).default(longestAdvance),
  })
  .refine(({ by, to }) => (by === undefined) !== (to === undefined), {
    message: 'use either by or to',
    path: ['by'],
  });

/** Names of errors that a service answers. */
export const wireErrors = Object.entries(errorCatalogue).flatMap(([name, { status }]) =>
  status === null ? [] : [name as WireErrorName],
);

export const cuts = ['request', 'answer', 'body'] as const;

const faultFields = {
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']).optional(),
  /** A path, a template such as /v1/policies/:id, or a pattern in which * stands for anything. Default: every path. */
  path: z.string().startsWith('/').max(2_048).optional(),
  /** Answer an error of this status instead. */
  status: z.int().min(400).max(599).optional(),
  /** Its name; default: what fits the status. */
  error: z.enum(wireErrors).optional(),
  /** Seconds; a header and a field of the answer. */
  retry_after: z.int().min(0).max(86_400).optional(),
  /** Milliseconds of real time before anything else. */
  delay_ms: z.int().min(1).max(longestDelay).optional(),
  /**
   * Cut the connection: `request` before anything is done, `answer` when all is done but nothing answered, `body` in
   * the middle of the answer's body.
   */
  cut: z.enum(cuts).optional(),
};

const FaultInput = z
  .strictObject({
    ...faultFields,
    /** Requests that it hits; `always`: until it is cleared. */
    count: z.union([z.int().min(1).max(1_000_000), z.literal('always')]).default(1),
  })
  .refine(
    ({ status, delay_ms: delay, cut }) =>
      status !== undefined || delay !== undefined || cut !== undefined,
    { message: 'is missing: set status, delay_ms or cut', path: ['status'] },
  )
  .refine(({ status, cut }) => status === undefined || cut === undefined, {
    message: 'use either status or cut',
    path: ['cut'],
  })
  .refine(
    ({ status, error, retry_after: after }) =>
      status !== undefined || (error === undefined && after === undefined),
    { message: 'is required with error and retry_after', path: ['status'] },
  );
export type FaultInput = z.infer<typeof FaultInput>;

/** `left` is absent for one that lasts until it is cleared. */
const Fault = z.looseObject({
  id: z.string(),
  ...faultFields,
  hits: z.int(),
  left: z.int().optional(),
  created_at: Timestamp,
});
export type Fault = z.infer<typeof Fault>;

/** `number` counts up from 1 since the start; `path` is without its query. */
const LoggedRequest = z.looseObject({
  number: z.int(),
  at: Timestamp,
  method: z.string(),
  path: z.string(),
  route: z.string().optional(),
  status: z.int(),
  duration_ms: z.number(),
  request_id: z.string(),
  /** Of the answer's body. */
  bytes: z.int().optional(),
  error: z.string().optional(),
  /** The fault that hit it. */
  fault: z.string().optional(),
});
export type LoggedRequest = z.infer<typeof LoggedRequest>;

/** Of documents, by collection. */
const Counts = z.record(z.string(), z.int());

const Restored = z.looseObject({
  taken_at: Timestamp,
  restored: Counts,
  /** Webhooks that got a new secret. */
  new_secrets: z.int(),
  clock: LocalClock,
});
export type Restored = z.infer<typeof Restored>;

const Emptied = z.looseObject({ removed: Counts, clock: LocalClock });
export type Emptied = z.infer<typeof Emptied>;

const Clearing = z.looseObject({ cleared: z.int() });

const common = { scope: 'admin', ext: true } as const;

/** Test aids of a server that only this machine can reach; any other answers not_local. */
export const local = {
  get: endpoint({
    ...common,
    method: 'GET',
    path: '/v1/local',
    summary: 'Get the state of a local server: clock, faults and logged requests',
    response: {
      status: 200,
      body: z.looseObject({
        local: z.literal(true),
        version: z.string(),
        clock: LocalClock,
        faults: z.int(),
        requests: z.int(),
      }),
    },
    errors: ['not_local'],
  }),
  getClock: endpoint({
    ...common,
    method: 'GET',
    path: '/v1/local/clock',
    summary: 'Get the clock of a local server',
    response: { status: 200, body: LocalClock },
    errors: ['not_local'],
  }),
  setClock: endpoint({
    ...common,
    method: 'PUT',
    path: '/v1/local/clock',
    summary: 'Set the clock of a local server; the clock keeps running from that time',
    body: z.strictObject({ now: Timestamp }),
    response: { status: 200, body: LocalClock },
    errors: ['not_local'],
  }),
  resetClock: endpoint({
    ...common,
    method: 'DELETE',
    path: '/v1/local/clock',
    summary: 'Reset the clock of a local server to system time',
    response: { status: 200, body: LocalClock },
    errors: ['not_local'],
  }),
  advanceClock: endpoint({
    ...common,
    method: 'POST',
    path: '/v1/local/clock/advance',
    summary: 'Advance the clock of a local server and run everything that becomes due',
    body: Advance,
    response: { status: 200, body: Advanced },
    errors: ['not_local'],
  }),
  listFaults: endpoint({
    ...common,
    method: 'GET',
    path: '/v1/local/faults',
    summary: 'List the faults of a local server and how often each was triggered',
    response: { status: 200, body: z.looseObject({ faults: z.array(Fault) }) },
    errors: ['not_local'],
  }),
  addFault: endpoint({
    ...common,
    method: 'POST',
    path: '/v1/local/faults',
    summary: 'Create a fault: fail, delay or cut off requests to a local server',
    body: FaultInput,
    response: { status: 201, body: Fault },
    errors: ['not_local'],
  }),
  clearFaults: endpoint({
    ...common,
    method: 'DELETE',
    path: '/v1/local/faults',
    summary: 'Delete all faults',
    response: { status: 200, body: Clearing },
    errors: ['not_local'],
  }),
  clearFault: endpoint({
    ...common,
    method: 'DELETE',
    path: '/v1/local/faults/:id',
    summary: 'Delete a fault',
    params: ById,
    response: { status: 200, body: Clearing },
    errors: ['not_local', 'fault_not_found'],
  }),
  listRequests: endpoint({
    ...common,
    method: 'GET',
    path: '/v1/local/requests',
    summary: 'List the last requests to a local server, oldest first, except those to /v1/local',
    query: z.strictObject({
      /** Only those behind this number; default: the last ones. */
      after: digits(z.int().min(0)).optional(),
      limit: digits(z.int().min(1).max(requestsKept)).prefault(100),
    }),
    response: {
      status: 200,
      body: z.looseObject({ requests: z.array(LoggedRequest), last: z.int() }),
    },
    errors: ['not_local'],
  }),
  snapshot: endpoint({
    ...common,
    method: 'GET',
    path: '/v1/local/snapshot',
    summary:
      'Download the data of a local server, without credentials and the audit log, as NDJSON',
    response: { status: 200, type: snapshotType, binary: true },
    errors: ['not_local'],
  }),
  restore: endpoint({
    ...common,
    method: 'POST',
    path: '/v1/local/restore',
    summary: 'Replace the data of a local server with a snapshot, all or nothing',
    query: z.strictObject({
      /** Secrets of webhooks that were sealed with another key: refuse, or make new ones. */
      secrets: z.enum(['keep', 'new']).default('keep'),
      /** Leave the clock as it is, or set it to the moment of the snapshot. */
      clock: z.enum(['keep', 'snapshot']).default('keep'),
    }),
    streamed: snapshotType,
    response: {
      status: 200,
      body: Restored,
    },
    errors: ['not_local'],
  }),
  reset: endpoint({
    ...common,
    method: 'POST',
    path: '/v1/local/reset',
    summary: 'Delete the data of a local server except credentials, and reset its clock',
    response: { status: 200, body: Emptied },
    errors: ['not_local'],
  }),
};
