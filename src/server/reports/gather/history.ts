import { defined } from '../../../contract/defined.ts';
import type { ViolationStatus } from '../../../contract/violations.ts';
import type { Replayed, Step } from '../../../report/content/facts.ts';
import { historyKept } from '../../violations/collection.ts';
import type { StoredViolation } from '../../violations/collection.ts';

/** Milliseconds since the epoch, half-open. */
export interface Span {
  readonly since?: number | undefined;
  readonly until: number;
}

/** Plays back the history of a violation: what it was when the span began, what happened in it, what it was at its end. */
export function playBack(
  { history }: Pick<StoredViolation, 'history'>,
  { since = -Infinity, until }: Span,
): Replayed {
  const mayBeCut = history.length >= historyKept;
  let status: ViolationStatus | undefined;
  let atStart: ViolationStatus | undefined;
  let foundAt: number | undefined;
  let resolvedAt: number | undefined;
  let wasOpen = false;
  let firstAt = Infinity;
  const steps: Step[] = [];
  for (const { status: to, at: text, cause, by, reason } of history) {
    const at = Date.parse(text);
    firstAt = Math.min(firstAt, at);
    if (at >= until) continue;
    const from = status;
    // A further reason of one that was resolved already.
    if (to === from && cause === 'manual') continue;
    // The first that is kept may not be the first there was; one that begins to fail was not there, or resolved.
    const isFirst = from === undefined && (!mayBeCut || (to === 'OPEN' && cause === 'fails'));
    if (isFirst || from === 'RESOLVED') foundAt = at;
    const lasted = to === 'RESOLVED' && foundAt !== undefined ? { lasted: at - foundAt } : {};
    resolvedAt = to === 'RESOLVED' ? at : undefined;
    status = to;
    if (at < since) {
      atStart = to;
      continue;
    }
    wasOpen ||= from === 'OPEN' || to === 'OPEN';
    steps.push({
      at,
      to,
      cause,
      ...defined({ from, by, reason }),
      ...lasted,
    });
  }
  return {
    ...defined({ atStart, atEnd: status }),
    wasOpen: wasOpen || atStart === 'OPEN',
    ...defined({ foundAt, resolvedAt }),
    steps,
    isCut: mayBeCut && firstAt >= since,
  };
}
