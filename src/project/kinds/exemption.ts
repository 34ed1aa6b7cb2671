import { exemptionObjects, isPathMissing } from '../../client/objects.ts';
import { byCodeUnit } from '../../contract/canonical-json.ts';
import { exemptionEnd } from '../../engine/exempt.ts';
import { fingerprint } from '../compare/fingerprint.ts';
import { isOwnershipTag } from '../compare/ownership.ts';
import { exemptionName, makeExemptionKey } from '../key.ts';
import type { LocalExemption } from '../model.ts';
import type { Body, Kind, LocalDocument } from './kind.ts';

const fields = ['policy', 'resources', 'reason', 'owner', 'expires', 'category', 'tags'] as const;

const setOf = (list: unknown): string[] =>
  Array.isArray(list) ? [...new Set(list.map(String))].sort(byCodeUnit) : [];

/** What an exemption says, in one spelling for each meaning: the order of resources and tags says nothing. */
function normalise(body: Body, ownership: 'kept' | 'dropped'): Body {
  const tags = setOf(body.tags).filter((tag) => ownership === 'kept' || !isOwnershipTag(tag));
  return {
    policy: body.policy,
    resources: setOf(body.resources),
    reason: body.reason,
    owner: body.owner,
    expires: body.expires,
    ...(body.category ? { category: body.category } : {}),
    ...(tags.length > 0 ? { tags } : {}),
  };
}

const nameOf = ({ policy, resources }: Body): string =>
  exemptionName(String(policy), setOf(resources));

export const exemptionKind: Kind = {
  name: 'Exemption',
  noun: { one: 'exemption', many: 'exemptions' },
  objects: exemptionObjects,
  isOurs: true,
  isMissing: isPathMissing,
  fields,
  writeOnly: [],
  identity: 'policy and resources',
  isUnique: false,
  guardsEmpty: false,
  changed: 'file changed',
  // A server takes none of a policy that it does not have; one that goes may name a policy that goes, too.
  turn: { write: 2, delete: 0 },
  keepsTags: async () => true,
  titleOf: nameOf,
  keyOf: ({ policy, resources }) => makeExemptionKey(String(policy), setOf(resources)),
  identityOf: nameOf,
  // Policies of several projects may have one key.
  isElsewhere: ({ named_by: by, project: other }, project) =>
    by === 'key' && other !== undefined && other !== project,
  content: (body) => normalise(body, 'dropped'),
  state: (body) => normalise(body, 'kept'),
  hash: (normal) => fingerprint(normal),
  diffField: () => undefined,
  outline: ({ policy, resources, owner, expires, category }) => [
    `${String(policy)}: ${setOf(resources).join(', ')}`,
    `until ${String(expires)}`,
    `owner ${String(owner)}`,
    typeof category === 'string' ? category : undefined,
  ],
  outlined: ['policy', 'resources', 'expires', 'owner', 'category'],
  wanted: ({ body }) => ({ real: body, shown: body }),
  shownLive: (live) => live,
  beyondContent: () => undefined,
  noteOn: () => undefined,
  reveal: (_key, shown) => shown,
  withoutExtensions: () => undefined,
};

/** @param now milliseconds since the epoch */
export function exemptionDocument(
  { key, exemption, place }: LocalExemption,
  now: number,
): LocalDocument {
  const { expires } = exemption;
  return {
    kind: exemptionKind,
    key,
    written: exemption,
    body: exemption,
    place,
    isOver: exemptionEnd(expires) <= now ? `expired at the end of ${expires}` : undefined,
  };
}
