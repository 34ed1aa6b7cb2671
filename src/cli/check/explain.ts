import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { matchesId } from '../../engine/exempt.ts';
import type { ReadResource } from '../../inventory/model.ts';
import type { LocalPolicy } from '../../project/model.ts';
import type { PlacedFinding } from './collect.ts';

/** Explains findings while their resources are at hand. */
export interface Explainer {
  /** Left out: every resource. */
  readonly wants?: (read: ReadResource) => boolean;
  complete(finding: PlacedFinding, read: ReadResource): PlacedFinding;
  /** @throws GovctlError usage_error where the resource that was asked for is not among those seen */
  requireMet(): void;
}

/** @param resource an id, an address or a glob; true: every finding that does not pass */
export function createExplainer(
  resource: string | true,
  _policies: readonly LocalPolicy[],
  _now: number,
): Explainer {
  let met = resource === true;
  const seen = new Set<string>();
  const isWanted = ({ resource: { id }, address }: ReadResource): boolean => {
    if (resource === true) return true;
    const fits = matchesId(resource, id) || matchesId(resource, address);
    met ||= fits;
    if (seen.size < mostSeen) seen.add(address);
    return fits;
  };
  return {
    ...(resource === true ? {} : { wants: isWanted }),
    complete: (finding) => finding,
    requireMet() {
      if (met || resource === true) return;
      const nearest = nearestWord(resource, seen);
      throw new GovctlError(
        'usage_error',
        `--explain ${resource}: no resource of the input has this id or address`,
        {
          ...(nearest ? { hint: `Did you mean ${nearest}?` } : {}),
        },
      );
    },
  };
}

/** Names that are kept to suggest one of them. */
const mostSeen = 10_000;
