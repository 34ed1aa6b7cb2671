import { defined } from '../../../contract/defined.ts';
import { exemptionEnd } from '../../../engine/exempt.ts';
import { exemptions, namesAny } from '../../exemptions/collection.ts';
import type { PolicyName } from '../../exemptions/collection.ts';
import { allRows } from '../../store/all-rows.ts';
import type { Reader } from '../../store/store.ts';
import type { ExemptionFact } from '../../../report/content/facts.ts';
import type { Pace } from '../../pace.ts';
import type { Scope } from '../../../report/content/scope.ts';
import { brief } from '../../../report/content/text.ts';

interface Found {
  /** What the policies in scope may be named by. */
  readonly names: readonly PolicyName[];
  /** Findings that each exemption covers, by its id. */
  readonly covered: ReadonlyMap<string, number>;
}

/** The exemptions that counted at some time within the scope, by their end. Those that were deleted are not known. */
export async function gatherExemptions(
  reader: Reader,
  scope: Scope,
  { names, covered }: Found,
  pace: Pace,
): Promise<readonly ExemptionFact[]> {
  const found: ExemptionFact[] = [];
  const isInScope = namesAny(names);
  for await (const { doc } of allRows(reader, exemptions, {})) {
    await pace.spend(1);
    const created = Date.parse(doc.created_at);
    const end = exemptionEnd(doc.expires);
    // Without a range it is the moment that counts.
    if (created >= scope.until || end <= (scope.since ?? scope.at)) continue;
    if (scope.framework && !isInScope(doc)) continue;
    found.push({
      id: doc.id,
      policy: doc.policy,
      resources: doc.resources,
      reason: brief(doc.reason),
      owner: doc.owner,
      expires: doc.expires,
      ends_at: end,
      ...defined({ category: doc.category }),
      created_at: created,
      created_by: doc.created_by,
      covers: covered.get(doc.id) ?? 0,
    });
  }
  return found.sort((a, b) => a.ends_at - b.ends_at || (a.id < b.id ? -1 : Number(a.id > b.id)));
}
