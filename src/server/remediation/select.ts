import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { severities } from '../../contract/policies.ts';
import { maxActions } from '../../contract/remediations.ts';
import type { RemediationInput } from '../../contract/remediations.ts';
import type { ViolationFilter } from '../../contract/violations.ts';
import { invalidField } from '../http/invalid-body.ts';
import { labelledWith, policies } from '../policies/collection.ts';
import type { Reader } from '../store/store.ts';
import { violations } from '../violations/collection.ts';
import type { StoredViolation } from '../violations/collection.ts';
import { matching } from '../violations/service.ts';
import type { MatchBy } from '../violations/service.ts';

/**
 * The OPEN violations that a request is about, the gravest first.
 * @throws GovctlError violation_not_found, policy_not_found, invalid_remediation, remediation_guard (too many for one plan)
 */
export async function selectViolations(
  reader: Reader,
  input: RemediationInput,
  by: MatchBy,
): Promise<StoredViolation[]> {
  const found = input.violation_ids
    ? await readAll(reader, input.violation_ids)
    : await readOpen(reader, await filterOf(reader, input), by);
  return found.filter(({ status }) => status === 'OPEN').sort(gravestFirst);
}

const gravestFirst = (a: StoredViolation, b: StoredViolation): number =>
  severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
  compare(a.detected_at, b.detected_at) ||
  compare(a.id, b.id);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

async function readAll(reader: Reader, ids: readonly string[]): Promise<StoredViolation[]> {
  const found: StoredViolation[] = [];
  const missing: string[] = [];
  for (const id of new Set(ids)) {
    const row = await reader.get(violations, id);
    if (row) found.push(row.doc);
    else missing.push(id);
  }
  const [first] = missing;
  if (first === undefined) return found;
  const more = missing.length > 1 ? ` (and ${missing.length - 1} more)` : '';
  throw new GovctlError('violation_not_found', `There is no violation ${first}${more}`, {
    details: missing.map((id) => ({
      field: `violation_ids[${ids.indexOf(id)}]`,
      message: `there is no violation ${id}`,
    })),
  });
}

async function readOpen(
  reader: Reader,
  filter: ViolationFilter,
  by: MatchBy,
): Promise<StoredViolation[]> {
  const found: StoredViolation[] = [];
  let total = 0;
  for await (const violation of matching(reader, { ...filter, status: ['OPEN'] }, by)) {
    total += 1;
    if (total <= maxActions) found.push(violation);
  }
  if (total <= maxActions) return found;
  throw new GovctlError(
    'remediation_guard',
    `${inThrees(total)} open violations match; a remediation has at most ${inThrees(maxActions)} actions`,
    { hint: 'Filter by policy, account or environment, for example.' },
  );
}

async function filterOf(
  reader: Reader,
  { policy_id: policy, framework, filter = {} }: RemediationInput,
): Promise<ViolationFilter> {
  if (policy !== undefined) return { policy_id: [await idOf(reader, policy)] };
  if (framework !== undefined) return { policy_id: await idsOfLabelled(reader, framework) };
  return filter;
}

async function idOf(reader: Reader, policy: string): Promise<string> {
  const found =
    (await reader.get(policies, policy)) ?? (await reader.find(policies, 'name', policy));
  if (found) return found.doc.id;
  throw new GovctlError('policy_not_found', `There is no policy ${policy.slice(0, 100)}`, {
    details: [{ field: 'policy_id', message: 'must be the ID or the name of a policy' }],
  });
}

async function idsOfLabelled(reader: Reader, label: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of labelledWith(reader, label, { enabled: { any: ['true'] } })) {
    ids.push(id);
  }
  if (ids.length > 0) return ids;
  throw invalidField(
    'invalid_remediation',
    'framework',
    'must be a framework or a control of an enabled policy, such as SOC2 or SOC2:CC6.1',
  );
}
