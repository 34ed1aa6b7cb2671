import { defined } from '../../contract/defined.ts';
import { readOwnerTag } from '../../contract/key-tag.ts';
import { AnsweredExemption, ExemptionInput } from '../../contract/exemptions.ts';
import type { ExemptionListQuery, exemptionSortFields } from '../../contract/exemptions.ts';
import type { Finding } from '../../contract/findings.ts';
import type { KnownResource } from '../../contract/resources.ts';
import type { Verdict } from '../../engine/decide.ts';
import { describeExemption, findingOf, isExempt } from '../../engine/evaluate.ts';
import type { EvaluatedPolicy, PreparedPolicy } from '../../engine/evaluate.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { nextTurn } from '../next-turn.ts';
import { allRows } from '../store/all-rows.ts';
import type { CollectionSpec, Reader, Scalar } from '../store/store.ts';
import { Id, shape } from '../shape.ts';

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
    tags: (exemption) => exemption.tags,
  },
  order,
};

export const exemptionFilters = (query: ExemptionListQuery): Filters => ({
  ...anyOf(query, ['policy', 'owner', 'category', 'status']),
  ...(query.tags ? { tags: { all: query.tags } } : {}),
});

/** The active ones that name a policy, or those of any status. */
export async function exemptionsOf(
  reader: Reader,
  names: readonly PolicyName[],
  statuses: readonly StoredExemption['status'][] = ['active'],
): Promise<readonly StoredExemption[]> {
  const found: StoredExemption[] = [];
  const isAmong = namesAny(names);
  const where = { policy: { any: names.map(({ policy }) => policy) }, status: { any: statuses } };
  for await (const { doc } of allRows(reader, exemptions, where)) if (isAmong(doc)) found.push(doc);
  return found;
}

/** One of the ways in which an exemption may name a policy: several may have a key, and a name may be another's key. */
export type PolicyName = Pick<StoredExemption, 'policy' | 'project'> & {
  readonly named_by: NonNullable<StoredExemption['named_by']>;
};

export function namesOf({
  policy: { name, tags = [] },
  id,
  key,
}: Pick<PreparedPolicy, 'id' | 'key'> & {
  readonly policy: { readonly name: string; readonly tags?: readonly string[] | undefined };
}): readonly PolicyName[] {
  return [
    { policy: name, named_by: 'name' },
    ...(id === undefined ? [] : [{ policy: id, named_by: 'id' } as const]),
    ...(key === undefined
      ? []
      : [{ policy: key, named_by: 'key', ...defined({ project: readOwnerTag(tags) }) } as const]),
  ];
}

/** Whether an exemption names one of these. */
export function namesAny(
  names: readonly PolicyName[],
): (exemption: Pick<StoredExemption, 'policy' | 'project' | 'named_by'>) => boolean {
  const known = new Set(names.map(whole));
  const texts = new Set(names.map(({ policy }) => policy));
  return (exemption) =>
    exemption.named_by === undefined ? texts.has(exemption.policy) : known.has(whole(exemption));
}

const whole = ({ policy, named_by, project }: Pick<StoredExemption, keyof PolicyName>): string =>
  JSON.stringify([named_by, policy, project ?? null]);

/** Characters of globs and ids that are compared between two turns of others: some milliseconds. */
const charactersPerTurn = 2_000_000;
/** The time that a comparison with an exemption, and with a glob of it, takes beyond that of their characters, in characters. */
const charactersOfExemption = 200;
const charactersOfGlob = 100;

/** Finds the first exemption that covers a policy's finding on a resource. */
export type FindCover = (
  known: readonly StoredExemption[],
  policy: EvaluatedPolicy,
  resourceId: string,
  /** Milliseconds since the epoch; default: `now` */
  at?: number,
) => Promise<StoredExemption | undefined>;

/**
 * Compares in turns: many globs on many resources would block the event loop, and so would many exemptions.
 * @param now as `isExempt`
 * @param onCompared is given the characters of each comparison
 */
export function createFindCover(
  now: number,
  onCompared: (characters: number) => void = () => undefined,
): FindCover {
  let compared = 0;
  return async (known, policy, resourceId, at = now) => {
    for (const exemption of known) {
      const { resources: globs } = exemption;
      const ofGlobs = globs.length * (resourceId.length + charactersOfGlob);
      const characters = globs.reduce(
        (sum, { length }) => sum + length,
        charactersOfExemption + ofGlobs,
      );
      onCompared(characters);
      compared += characters;
      if (compared >= charactersPerTurn) {
        compared = 0;
        await nextTurn();
      }
      if (isExempt(exemption, policy, resourceId, at)) return exemption;
    }
    return undefined;
  };
}

/** A finding, and the exemption that covers it. */
export interface Concluded {
  readonly finding: Finding;
  readonly cover: StoredExemption | undefined;
}

/** What a verdict becomes with the exemptions of its policy. */
export async function concludeInTurns(
  findCover: FindCover,
  policy: EvaluatedPolicy,
  resource: KnownResource,
  verdict: Verdict,
  known: readonly StoredExemption[],
): Promise<Concluded> {
  const cover = verdict.status === 'FAIL' ? await findCover(known, policy, resource.id) : undefined;
  return {
    finding: findingOf(policy, resource, verdict, cover && describeExemption(cover)),
    cover,
  };
}

export const exemptionShape = shape<StoredExemption>({
  ...AnsweredExemption.shape,
  id: Id,
  expires: ExemptionInput.shape.expires,
});
