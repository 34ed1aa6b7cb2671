import { defined } from '../../contract/defined.ts';
import type { FieldChange, Kinded, KindName, LocalDocument } from '../kinds/kind.ts';
import { contentHash, diffFields, kindField, withoutWriteOnly } from '../kinds/kind.ts';
import { assumeLive, whyUnknown } from '../kinds/webhook-unset.ts';
import type { Place } from '../model.ts';
import { stampOf } from './fingerprint.ts';
import type { LiveDocument } from './live.ts';
import { isOwnedBy } from './live.ts';

/** An object of ours that is not what was last applied. */
export interface Drifted extends Kinded {
  readonly key: string | null;
  readonly name: string;
  readonly id: string;
  readonly reason: string;
  /** Who edited it last, where the audit log of the service can be read. */
  readonly edited_by?: string;
  readonly updated_at?: string;
  /** What it should be → what it is. Null where the files don't hold any more what was last applied. */
  readonly fields: readonly FieldChange[] | null;
  /** Why `fields` is null though the files may well hold it: a variable that they name can't be used. */
  readonly note?: string;
  readonly place?: Place;
}

/** A document of the files that is not live. */
export interface Missing extends Kinded {
  readonly key: string;
  readonly name: string;
  readonly place: Place;
}

export interface DriftReport {
  readonly summary: { readonly owned: number; readonly drifted: number; readonly missing: number };
  readonly drifted: readonly Drifted[];
  readonly missing: readonly Missing[];
}

/**
 * Compares each live object of the project with the stamp of what was last applied to it, and with nothing else:
 * what changed in git since is not drift. The files tell what exactly was edited, and what should be live but is
 * not: what was deleted has no stamp left, so it looks like a file that was never applied, and counts. Pure.
 */
export function findDrift(
  project: string,
  live: readonly LiveDocument[],
  local: readonly LocalDocument[],
): DriftReport {
  const owned = live.filter(isOwnedBy(project));
  const byKey = new Map(local.map((mine) => [placeIn(mine.kind.name, mine.key), mine]));
  const drifted = owned
    .filter(({ ownership, sha256 }) => ownership.stamp !== stampOf(sha256))
    .map((each) => describeDrift(each, byKey.get(placeIn(each.kind.name, each.ownership.key))));
  const liveKeys = new Set(owned.map(({ kind, ownership }) => placeIn(kind.name, ownership.key)));
  // Whosever it is: a name that is taken is for `plan` to judge.
  const liveIdentities = new Set(live.map(({ kind, identity }) => placeIn(kind.name, identity)));
  const missing = local
    .filter(
      ({ kind, key, body, isOver }) =>
        isOver === undefined &&
        !liveKeys.has(placeIn(kind.name, key)) &&
        !liveIdentities.has(placeIn(kind.name, kind.identityOf(body))),
    )
    .map(({ kind, key, body, place }): Missing => ({
      ...kindField(kind.name),
      key,
      name: kind.titleOf(body),
      place,
    }));
  return {
    summary: { owned: owned.length, drifted: drifted.length, missing: missing.length },
    drifted,
    missing,
  };
}

const placeIn = (kind: KindName, name: string | undefined): string => `${kind} ${name ?? ''}`;

function describeDrift(
  { kind, item, title, ownership }: LiveDocument,
  mine: LocalDocument | undefined,
): Drifted {
  const known = mine && assumeLive(mine, item);
  const isLastApplied =
    known !== undefined && stampOf(contentHash(kind, known.body)) === ownership.stamp;
  const wanted = known && kind.wanted(known, item, true);
  const note = isLastApplied || !mine ? undefined : whyUnknown(mine);
  return {
    ...kindField(kind.name),
    key: ownership.key ?? null,
    name: title,
    id: item.id,
    reason:
      ownership.stamp === undefined
        ? 'the record of the last apply was lost, so edits cannot be detected'
        : 'edited outside git since the last apply',
    ...defined({ updated_at: item.updated_at }),
    fields:
      isLastApplied && wanted
        ? diffFields(
            kind,
            kind.content(withoutWriteOnly(kind, wanted.shown)),
            kind.content(withoutWriteOnly(kind, kind.shownLive(item, wanted))),
          )
        : null,
    ...defined({ note }),
    ...(mine ? { place: mine.place } : {}),
  };
}
