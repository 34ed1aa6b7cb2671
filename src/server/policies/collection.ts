import type { PolicyListQuery, policySortFields } from '../../contract/policies.ts';
import { Policy, PolicyInput, severities } from '../../contract/policies.ts';
import { readKeyTag } from '../../contract/key-tag.ts';
import {
  controlKey,
  frameworkKey,
  frameworkKeys,
  readLabels,
  splitLabel,
} from '../../engine/labels.ts';
import { isTypePattern, typeKey } from '../../contract/resources.ts';
import type { Filters } from '../http/paging.ts';
import { nextTurn } from '../next-turn.ts';
import { allRows } from '../store/all-rows.ts';
import type { CollectionSpec, Reader, Scalar } from '../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { Id, shape } from '../shape.ts';

/** A policy as stored is a policy as answered. */
export type StoredPolicy = Policy & { readonly created_at: string; readonly updated_at: string };

type SortField = (typeof policySortFields)[number];

// A place in an order travels in a cursor, so long texts order by their beginning.
const beginning = (text: string | undefined): string | undefined => text?.slice(0, 256);

const order: Record<SortField, (policy: StoredPolicy) => Scalar | undefined> = {
  created_at: (policy) => policy.created_at,
  updated_at: (policy) => policy.updated_at,
  id: (policy) => policy.id,
  name: (policy) => policy.name,
  description: (policy) => beginning(policy.description),
  resource_type: (policy) => policy.resource_type,
  severity: (policy) => policy.severity && severities.indexOf(policy.severity),
  enabled: (policy) => policy.enabled,
  auto_remediation: (policy) => policy.auto_remediation,
  remediation_action: (policy) => beginning(policy.remediation_action),
  created_by: (policy) => policy.created_by,
};

/** What policies with a pattern are found under. */
export const anyPattern = '*';

export const policies: CollectionSpec<StoredPolicy> = {
  name: 'policies',
  unique: { name: (policy) => policy.name },
  index: {
    resource_type: (policy) => policy.resource_type,
    severity: (policy) => policy.severity,
    enabled: (policy) => String(policy.enabled),
    tags: (policy) => policy.tags,
    /** Of those that are evaluated: under the key that resources of their type have, too; `*` for all patterns. */
    evaluated_type: ({ enabled, resource_type: type }) => {
      if (!enabled) return undefined;
      return isTypePattern(type) ? anyPattern : typeKey(type);
    },
    /** Of each framework that its labels name. */
    framework: ({ compliance_frameworks: labels }) => labels && frameworkKeys(labels),
    key: (policy) => readKeyTag(policy.tags ?? []).key,
  },
  order,
};

/** Any of the types and severities, all of the tags. */
export const policyFilters = (query: PolicyListQuery): Filters => ({
  ...(query.resource_type ? { resource_type: { any: query.resource_type } } : {}),
  ...(query.severity ? { severity: { any: query.severity } } : {}),
  ...(query.enabled === undefined ? {} : { enabled: { any: [String(query.enabled)] } }),
  ...(query.tags ? { tags: { all: query.tags } } : {}),
});

export const policyShape = shape<StoredPolicy>({
  ...Policy.shape,
  id: Id,
  name: PolicyInput.shape.name,
  resource_type: z.string().min(1).max(256),
  rules: Policy.shape.rules.min(1).max(500),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** Labels that are looked at between two turns of others: some milliseconds. */
export const labelsPerTurn = 2_000;

/** The policies that a label names, a framework or a control of one in any spelling; others have their turn in between. */
export async function* labelledWith(
  reader: Reader,
  label: string,
  where: Filters = {},
): AsyncGenerator<StoredPolicy> {
  const { framework, control } = splitLabel(label);
  const key = frameworkKey(framework);
  const wanted = controlKey(framework, control);
  let looked = 0;
  for await (const { doc } of allRows(reader, policies, { ...where, framework: { any: [key] } })) {
    const labels = doc.compliance_frameworks ?? [];
    const controls = readLabels(labels).find((one) => one.key === key)?.controls ?? [];
    if (control === '' || controls.some((one) => controlKey(framework, one) === wanted)) yield doc;
    looked += labels.length;
    if (looked < labelsPerTurn) continue;
    looked = 0;
    await nextTurn();
  }
}
