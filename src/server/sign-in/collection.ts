import type { CollectionSpec } from '../store/store.ts';

/** A browser that somebody signed in with. */
export interface StoredSession {
  readonly id: string;
  /** Of the token. */
  readonly hash: string;
  readonly user_id: string;
  /** What the sign-in still takes. Absent: it is complete. */
  readonly awaits?: 'second_factor' | 'enrolment';
  /** The secret of a second factor that is being set up, sealed. */
  readonly enrolling?: string;
  /** Who asked for a second factor where this server did not, or answers for there being none. */
  readonly second_factor?: 'company';
  readonly authenticated_at: string;
  readonly created_at: string;
  /** To some minutes: a session that is used all day is not written all day. */
  readonly last_seen: string;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
  readonly address?: string;
}

export const sessions: CollectionSpec<StoredSession> = {
  name: 'sessions',
  unique: { hash: ({ hash }) => hash },
  index: { user_id: ({ user_id: id }) => id },
  order: {
    id: ({ id }) => id,
    created_at: ({ created_at: at }) => at,
    expires_at: ({ expires_at: at }) => at,
  },
};
