import type {
  AnsweredExemption,
  ExemptionListQuery,
  exemptionSortFields,
} from '../../contract/exemptions.ts';
import type { PreparedPolicy } from '../../engine/evaluate.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { allRows } from '../store/all-rows.ts';
import type { CollectionSpec, Reader, Scalar } from '../store/store.ts';

/** An exemption as stored is an exemption as answered; `status` follows its last day. */
export type StoredExemption = AnsweredExemption;

type SortField = (typeof exemptionSortFields)[number];

const order: Record<SortField, (exemption: StoredExemption) => Scalar | undefined> = {
  created_at: (exemption) => exemption.created_at,
  updated_at: (exemption) => exemption.updated_at,
  id: (exemption) => exemption.id,
  policy: (exemption) => exemption.policy,
  reason: (exemption) => exemption.reason.slice(0, 256),
  owner: (exemption) => exemption.owner,
  expires: (exemption) => exemption.expires,
  category: (exemption) => exemption.category,
  status: (exemption) => exemption.status,
  created_by: (exemption) => exemption.created_by,
};

export const exemptions: CollectionSpec<StoredExemption> = {
  name: 'exemptions',
  index: {
    policy: (exemption) => exemption.policy,
    owner: (exemption) => exemption.owner,
    category: (exemption) => exemption.category,
    status: (exemption) => exemption.status,
  },
  order,
};

export const exemptionFilters = (query: ExemptionListQuery): Filters =>
  anyOf(query, ['policy', 'owner', 'category', 'status']);

/** Those that name a policy: by its id, its name or its key in git. */
export async function exemptionsOf(
  reader: Reader,
  names: readonly string[],
): Promise<readonly StoredExemption[]> {
  const found: StoredExemption[] = [];
  const where = { policy: { any: names }, status: { any: ['active'] } };
  for await (const { doc } of allRows(reader, exemptions, where)) found.push(doc);
  return found;
}

/** What an exemption may name a policy by. */
export const namesOf = ({
  policy,
  id,
  key,
}: Pick<PreparedPolicy, 'policy' | 'id' | 'key'>): readonly string[] =>
  [policy.name, id, key].filter((name) => name !== undefined);
