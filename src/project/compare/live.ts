import type { Body, Kind, LiveItem } from '../kinds/kind.ts';
import type { Ownership } from './ownership.ts';
import { readOwnership } from './ownership.ts';

/** A live object with what comparing needs of it. */
export interface LiveDocument {
  readonly kind: Kind;
  readonly item: LiveItem;
  readonly title: string;
  readonly identity: string;
  readonly ownership: Ownership;
  readonly content: Body;
  /** Of the content, without govctl's tags. */
  readonly sha256: string;
}

export function readLive(kind: Kind, item: LiveItem): LiveDocument {
  const content = kind.content(item);
  let sha256: string | undefined;
  return {
    kind,
    item,
    title: kind.titleOf(item),
    identity: kind.identityOf(item),
    ownership: readOwnership(item.tags ?? []),
    content,
    // Slow for some kinds, and of those that are not this project's nobody asks.
    get sha256() {
      return (sha256 ??= kind.hash(content));
    },
  };
}

/** Whether a project, and no other beside it, owns one. */
export const isOwnedBy =
  (project: string) =>
  ({ ownership }: Pick<LiveDocument, 'ownership'>): boolean =>
    ownership.owner === project && !ownership.disputed;
