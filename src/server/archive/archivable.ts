import type { Retention } from '../config/retention.ts';
import type { Archived, Module, Part, StoredCollection } from '../module.ts';
import type { CollectionSpec, Document } from '../store/store.ts';

/** A collection whose records retention removes, and how they are read for an archive. */
export interface Archivable extends Pick<Archived, 'early' | 'shown' | 'pick'> {
  readonly spec: CollectionSpec<Document>;
  readonly orderBy: string;
  readonly keptMs: (retention: Retention) => number;
  readonly partsOf: (doc: Document) => readonly Part[];
  readonly filesOf: NonNullable<StoredCollection['files']>;
}

/** Those whose time the operator sets, by name. */
export const archivablesOf = (modules: readonly Module[]): ReadonlyMap<string, Archivable> =>
  new Map(
    modules
      .flatMap(({ collections }) => collections)
      .flatMap(({ spec, expiry, archive, files }): [string, Archivable][] => {
        const { orderBy, keptMs } = { ...expiry, ...archive };
        if (typeof keptMs !== 'function' || orderBy === undefined) return [];
        const one: Archivable = {
          ...archive,
          spec,
          orderBy,
          keptMs,
          partsOf: expiry?.parts ?? (() => []),
          filesOf: files ?? (() => []),
        };
        return [[spec.name, one]];
      }),
  );
