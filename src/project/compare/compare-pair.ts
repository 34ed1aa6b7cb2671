import type { LocalDocument } from '../kinds/kind.ts';
import { contentHash } from '../kinds/kind.ts';
import type { Comparison, UpdateCause } from './comparison.ts';
import { stampOf } from './fingerprint.ts';
import type { LiveDocument } from './live.ts';

/** The three-way comparison of one document: git, live, and the stamp of what was last applied. */
export function comparePair(local: LocalDocument, live: LiveDocument): Comparison {
  const { stamp, key } = live.ownership;
  const { kind } = local;
  const wanted = kind.wanted(local, live.item, true);
  const gitSha = contentHash(kind, wanted.real);
  const update = (cause: UpdateCause, reason: string): Comparison => ({
    kind: 'update',
    cause,
    local,
    live,
    reason,
    wanted,
    isTagged: true,
  });
  const rekeyed = key !== local.key ? `its key was ${key ?? 'lost'}` : undefined;
  if (gitSha === live.sha256) {
    const beyond = kind.beyondContent(local, live.item);
    if (beyond) return update(beyond.cause, beyond.reason);
    if (rekeyed) return update('key', `${rekeyed}; only the ownership tags change`);
    if (stamp === stampOf(gitSha)) return { kind: 'unchanged', local, live };
    return update(
      'stamp',
      stamp === undefined
        ? 'it says what git says, but its stamp was lost; only the ownership tags change'
        : 'somebody made the same edit outside git; only the ownership tags change',
    );
  }
  const also = rekeyed ? `, and ${rekeyed}` : '';
  if (stamp === stampOf(live.sha256)) return update('git', `${kind.changed}${also}`);
  if (stamp === stampOf(gitSha)) {
    return update('drift', `it was edited outside git; apply puts back what git says${also}`);
  }
  return update(
    'conflict',
    stamp === undefined
      ? `its stamp was lost, so who changed it is not known; git wins${also}`
      : `its file changed, and it was edited outside git too; git wins${also}`,
  );
}

/** The comparison where a service keeps no tags: only what its file says counts, and who changed what is not known. */
export function compareUntagged(local: LocalDocument, live: LiveDocument): Comparison {
  const { kind } = local;
  const wanted = kind.wanted(local, live.item, false);
  const update = (cause: UpdateCause, reason: string): Comparison => ({
    kind: 'update',
    cause,
    local,
    live,
    reason,
    wanted,
    isTagged: false,
  });
  if (contentHash(kind, wanted.real) !== live.sha256) {
    return update('git', 'it is not what its file says; without tags who changed it is not known');
  }
  const beyond = kind.beyondContent(local, live.item);
  return beyond ? update(beyond.cause, beyond.reason) : { kind: 'unchanged', local, live };
}
