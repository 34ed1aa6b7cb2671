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
  const rekeyed = key !== local.key ? `the key was ${key ?? 'lost'}` : undefined;
  if (gitSha === live.sha256) {
    const beyond = kind.beyondContent(local, live.item);
    if (beyond) return update(beyond.cause, beyond.reason);
    if (rekeyed) return update('key', `${rekeyed}; only the ownership tags change`);
    if (stamp === stampOf(gitSha)) return { kind: 'unchanged', local, live };
    return update(
      'stamp',
      stamp === undefined
        ? 'the service matches git, but the record of the last apply was lost; only the ownership tags change'
        : 'the same edit was made outside git; only the ownership tags change',
    );
  }
  const also = rekeyed ? `, and ${rekeyed}` : '';
  if (stamp === stampOf(live.sha256)) return update('git', `${kind.changed}${also}`);
  if (stamp === stampOf(gitSha)) {
    return update('drift', `edited outside git; apply restores the version in git${also}`);
  }
  return update(
    'conflict',
    stamp === undefined
      ? `the record of the last apply was lost, so the source of the change is unknown; git wins${also}`
      : `the file changed, and the object was edited outside git; git wins${also}`,
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
    return update(
      'git',
      'the object differs from its file; without tags, the source of the change is unknown',
    );
  }
  const beyond = kind.beyondContent(local, live.item);
  return beyond ? update(beyond.cause, beyond.reason) : { kind: 'unchanged', local, live };
}
