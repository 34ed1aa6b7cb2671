import * as z from 'zod';
import { durationForms, parseDuration } from './duration.ts';
import { endpoint } from './endpoint.ts';
import { Timestamp, digits } from './lists.ts';

const CollectionName = z.string().min(1).max(64);

/** What retention removes of a collection before some time from now: all records of a time before `until`. */
const Due = z.looseObject({ name: z.string().regex(/^[a-z][a-z_]{0,63}$/), until: Timestamp });

/** The names become those of files. */
const ArchivedFile = z.looseObject({
  blob: z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}$/),
  size: z.int().min(0),
  /** Lower-case hex. */
  sha256: z.string().optional(),
});

/** A record as it is stored, without secrets; its collection may be that of a part, such as the samples of a scan. */
const ArchivedRecord = z.looseObject({
  collection: z.string(),
  id: z.string(),
  record: z.looseObject({}),
  files: z.array(ArchivedFile).optional(),
});
export type ArchivedRecord = z.infer<typeof ArchivedRecord>;

const ArchivePage = z.looseObject({
  records: z.array(ArchivedRecord),
  next: z.string().optional(),
});
export type ArchivePage = z.infer<typeof ArchivePage>;

export const archive = {
  get: endpoint({
    method: 'GET',
    path: '/v1/archive',
    summary: 'Show the records that retention will delete within a given time',
    scope: 'admin',
    ext: true,
    query: z.strictObject({
      within: z
        .string()
        .refine((text) => parseDuration(text) !== undefined, `must be a duration ${durationForms}`)
        .default('7d'),
    }),
    response: {
      status: 200,
      body: z.looseObject({ at: Timestamp, collections: z.array(Due) }),
    },
    errors: [],
  }),
  read: endpoint({
    method: 'GET',
    path: '/v1/archive/:collection',
    summary: 'List records of a collection in the order in which they were stored, for archiving',
    scope: 'admin',
    ext: true,
    params: z.strictObject({ collection: CollectionName }),
    query: z.strictObject({
      since: Timestamp.optional(),
      until: Timestamp,
      /** The `next` of the page before. */
      after: z.string().min(1).max(4_096).optional(),
      limit: digits(z.int().min(1).max(1_000)).prefault(500),
    }),
    response: {
      status: 200,
      body: ArchivePage,
    },
    errors: [],
  }),
  file: endpoint({
    method: 'GET',
    path: '/v1/archive/:collection/:id/files/:blob',
    summary: 'Download the file of a record, for archiving; supports Range',
    scope: 'admin',
    ext: true,
    params: z.strictObject({
      collection: CollectionName,
      id: z.string().min(1).max(256),
      blob: z.string().min(1).max(256),
    }),
    response: { status: 200, type: 'application/octet-stream', binary: true },
    errors: [],
  }),
};
