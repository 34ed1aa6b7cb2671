import type { CollectionSpec } from '../../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../../contract/lists.ts';
import { Count, Id, Key, Moment, shape } from '../../shape.ts';

/** A temporary address. Nothing in it is secret: what opens it is signed with the server's key. */
export interface StoredLink {
  readonly id: string;
  readonly report_id: string;
  readonly format: string;
  /** Milliseconds since the epoch, of a whole second. */
  readonly expires_at: number;
  readonly created_at: string;
  readonly created_by: string;
  /** Times that the file was begun from its first byte. */
  readonly downloads: number;
}

/** One that is revoked, or has expired, is removed. */
export const reportLinks: CollectionSpec<StoredLink> = {
  name: 'report_links',
  index: { report_id: ({ report_id: id }) => id },
  order: { expires_at: ({ expires_at: at }) => at, id: ({ id }) => id },
};

/** A row of the access log. */
export interface StoredDownload {
  readonly id: string;
  readonly report_id: string;
  readonly at: string;
  /** `csv.sig` for the detached signature of a CSV. */
  readonly format: string;
  /** The owner of the token, or whoever made the link. */
  readonly by: string;
  readonly via: 'token' | 'link';
  readonly link_id?: string;
  readonly ip?: string;
  readonly partial?: boolean;
}

export const reportDownloads: CollectionSpec<StoredDownload> = {
  name: 'report_downloads',
  index: { report_id: ({ report_id: id }) => id },
  order: { at: ({ at }) => at, id: ({ id }) => id },
};

export const linkShape = shape<StoredLink>({
  id: Id,
  report_id: Id,
  format: z.string(),
  expires_at: Moment,
  created_at: Timestamp,
  created_by: Key,
  downloads: Count,
});

export const downloadShape = shape<StoredDownload>({
  id: Id,
  report_id: Id,
  at: Timestamp,
  format: z.string(),
  by: Key,
  via: z.enum(['token', 'link']),
  link_id: Id.optional(),
  ip: z.string().optional(),
  partial: z.boolean().optional(),
});
