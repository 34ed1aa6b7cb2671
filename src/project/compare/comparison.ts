import type { LocalDocument, Wanted } from '../kinds/kind.ts';
import type { LiveDocument } from './live.ts';

/**
 * Why a document would change:
 * `git` its file changed · `drift` it was edited outside git · `conflict` both · `stamp` it says what git says, but
 * the stamp is of something else · `key` it goes by another key now · `secret` the service has another secret than the
 * file names · `disabled` the service gave up on it, and the file wants it.
 */
export type UpdateCause = 'git' | 'drift' | 'conflict' | 'stamp' | 'key' | 'secret' | 'disabled';

interface Writing {
  readonly local: LocalDocument;
  readonly wanted: Wanted;
  /** Whether it carries its owner and key; where a service keeps no tags it can't. */
  readonly isTagged: boolean;
}

export interface Update extends Writing {
  readonly kind: 'update';
  readonly cause: UpdateCause;
  readonly live: LiveDocument;
  readonly reason: string;
}

/** It can't be planned: which one is meant is not certain, or it isn't ours. */
export interface Blocked {
  readonly kind: 'blocked';
  readonly local: LocalDocument;
  readonly others: readonly LiveDocument[];
  readonly reason: string;
  readonly hint: string;
}

export type Comparison =
  | ({ readonly kind: 'create' } & Writing)
  /** It is not live, and nothing would come of it any more. */
  | { readonly kind: 'over'; readonly local: LocalDocument; readonly reason: string }
  | { readonly kind: 'unchanged'; readonly local: LocalDocument; readonly live: LiveDocument }
  | Update
  /** Ours, but no file says it any more. */
  | {
      readonly kind: 'orphan';
      readonly live: LiveDocument;
      /** The commit from which another branch or clone applied it. */
      readonly elsewhere?: string;
    }
  | Blocked;

/** Which of the project's documents a comparison is about. */
export interface Selection {
  /** Whether all files of the project were read; else what looks like an orphan may just not have been read. */
  readonly allFiles: boolean;
  readonly selects: (key: string) => boolean;
  /** Orphans are going to be deleted, so their names get free. */
  readonly prune: boolean;
}

export const everything: Selection = { allFiles: true, selects: () => true, prune: false };
