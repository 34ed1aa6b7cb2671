import { defined } from '../../../contract/defined.ts';
import { isFields } from '../../json.ts';
import type { RawResource } from '../../model.ts';
import { planned } from '../aws/plan-value.ts';
import { joinedAttribute } from '../joined.ts';
import { normaliser } from '../normaliser.ts';
import type { Attribute } from '../normaliser.ts';
import { allParts } from '../related.ts';
import type { Related } from '../related.ts';
import { at, isUnknown, joinLists, list, mapList, readJson, text } from '../values.ts';

/** How Terraform's IAM resources of a type name what they are about. */
export interface IamParts {
  /** What they are about: `GCP::Storage::Bucket`. */
  readonly whole: string;
  /** What they may be about, too: calls of a function are calls of the service behind it. */
  readonly behind?: string;
  /** The value that names it; a constant function, as an index is kept for it. */
  readonly of: (part: RawResource) => unknown;
}

const named =
  (...names: readonly string[]): IamParts['of'] =>
  ({ properties }) =>
    names.map((name) => properties[name]).find((one) => one !== undefined && one !== null);

/** The resources that Terraform keeps the IAM policy of beside them, and that it is joined into. */
export const iamOf = {
  bucket: { whole: 'GCP::Storage::Bucket', of: named('bucket') },
  cloudFunction: { whole: 'GCP::Cloudfunctions::Function', of: named('cloud_function') },
  cryptoKey: { whole: 'GCP::Cloudkms::CryptoKey', of: named('crypto_key_id') },
  dataset: { whole: 'GCP::Bigquery::Dataset', of: named('dataset_id') },
  project: { whole: 'GCP::Cloudresourcemanager::Project', of: named('project') },
  service: {
    whole: 'GCP::Run::Service',
    behind: 'GCP::Cloudfunctions::Function',
    of: named('service', 'name'),
  },
  topic: { whole: 'GCP::Pubsub::Topic', of: named('topic') },
} as const satisfies Readonly<Record<string, IamParts>>;

const kinds = ['Policy', 'Binding', 'Member'] as const;

/** The bindings of an asset's IAM policy, or of the resources beside it that Terraform keeps them in. */
export function iamBindings(raw: RawResource, related: Related, parts: IamParts) {
  const own = at(raw.properties, 'iamPolicy', 'bindings');
  if (own !== undefined) return mapList(own, readBinding);
  const found = kinds.flatMap((kind) =>
    allParts(related, raw, `${parts.whole}Iam${kind}`, parts.of).map((part) => bindingsOf(part)),
  );
  return joinLists<unknown>(...found);
}

function bindingsOf({ properties }: RawResource) {
  const policy = planned(properties, 'policy_data');
  if (isUnknown(policy)) return policy;
  if (policy !== undefined) return mapList(at(readJson(policy), 'bindings'), readBinding);
  return [readBinding(properties)];
}

const partTypes = Object.values(iamOf).flatMap(({ whole }) =>
  kinds.map((kind) => `${whole}Iam${kind}`),
);

const ofAudits = { type: 'list', meaning: 'audit configurations of the IAM policy' } as const;

export const auditAttributes = {
  audit_configs: { ...ofAudits, absent: [] },
  'audit_configs[].service': {
    type: 'string',
    meaning: 'the audited service: `allServices` or a single service',
  },
  'audit_configs[].log_types': {
    type: 'list<string>',
    meaning: '`ADMIN_READ`, `DATA_READ`, `DATA_WRITE`',
    spelling: ['ADMIN_READ', 'DATA_READ', 'DATA_WRITE'],
    absent: [],
  },
  'audit_configs[].exempted_members': {
    type: 'list<string>',
    meaning: 'members exempt from logging, across all log types',
    absent: [],
  },
} as const satisfies Record<string, Attribute>;

/** An IAM policy, binding or member that is a resource of its own, of whatever it is about. */
export const iamPart = normaliser({
  types: partTypes,
  like: /^GCP::.+Iam(?:Policy|Binding|Member)$/,
  source: 'Resource Manager API v3 reference, Policy, as of 2025-06',
  attributes: {
    ...auditAttributes,
    'iam.bindings': {
      type: 'list<Binding>',
      meaning:
        'bindings of the IAM policy; also available for other types whose names end in IamPolicy, IamBinding or IamMember',
    },
    joined: {
      type: 'bool',
      meaning:
        'the resource is in the same input and includes the bindings, so policies for the resource evaluate them',
    },
  },
  from: {
    terraform: (raw, related) => {
      const all: readonly IamParts[] = Object.values(iamOf);
      const parts = all.find(({ whole }) => raw.type.startsWith(`${whole}Iam`));
      const wholes = parts ? [parts.whole, parts.behind ?? parts.whole] : [];
      return {
        'iam.bindings': bindingsOf(raw),
        audit_configs: auditConfigsOf(raw),
        joined: wholes.some((whole) => related.find(parts?.of(raw), whole) !== undefined),
      };
    },
  },
});

const aboveProjects = ['Folder', 'Organization'].map(
  (type) => `GCP::Cloudresourcemanager::${type}`,
);

/**
 * Of an asset whose type has no other attributes for it: an export has its IAM policy beside it, where Terraform has one
 * as a resource of its own. Most such assets have none, so that a missing one is an open question of folders and
 * organizations only.
 */
export const assetPolicy = normaliser({
  types: aboveProjects,
  like: /^GCP::/,
  source: 'Resource Manager API v3 reference, Policy, as of 2025-06',
  attributes: {
    'iam.bindings': {
      type: 'list<Binding>',
      meaning:
        'bindings of the IAM policy, without inherited bindings; also available for assets of other types that are exported with their IAM policy',
    },
    ...auditAttributes,
    audit_configs: ofAudits,
    joined: { type: 'bool', meaning: 'always false, as no other resource includes the bindings' },
  },
  from: {
    'gcp-assets': ({ type, properties }) => {
      const policy = properties['iamPolicy'];
      const bindings = mapList(at(policy, 'bindings'), readBinding);
      const audit_configs = mapList(ownAuditConfigs(properties), readAuditConfig);
      const isToldOf = !isUnknown(policy) && [bindings, audit_configs].some((one) => isUnknown(one) || one.length > 0); // prettier-ignore
      if (!isToldOf && !aboveProjects.includes(type)) return {};
      return { 'iam.bindings': bindings, audit_configs, joined: false };
    },
  },
});

/** A binding of the API or of Terraform: with `members`, or with one `member`. */
function readBinding(binding: unknown) {
  const condition = planned(binding, 'condition', 'expression');
  const members = at(binding, 'members');
  return {
    role: text(at(binding, 'role')),
    members: list(members ?? at(binding, 'member')),
    ...defined({ condition }),
  };
}

/** An audit config that is a resource of its own, of a project, a folder or an organization. */
export const auditPart = normaliser({
  types: ['Project', 'Folder', 'Organization'].map(
    (whole) => `GCP::Cloudresourcemanager::${whole}IamAuditConfig`,
  ),
  source: 'Resource Manager API v3 reference, Policy, as of 2025-06',
  attributes: {
    ...auditAttributes,
    ...joinedAttribute('the project', iamOf.project.whole),
  },
  from: {
    terraform: (raw, related) => ({
      audit_configs: [readAuditConfig(raw.properties)],
      joined: related.find(iamOf.project.of(raw), iamOf.project.whole) !== undefined,
    }),
  },
});

/** The audit configs of a project's IAM policy: which services log which access, and whose access is left out. */
export function auditConfigs(raw: RawResource, related: Related, parts: IamParts) {
  const own = ownAuditConfigs(raw.properties);
  if (own !== undefined) return mapList(own, readAuditConfig);
  const policies = related.referring(raw, `${parts.whole}IamPolicy`, parts.of);
  const single = related.referring(raw, `${parts.whole}IamAuditConfig`, parts.of);
  return joinLists(
    single.map(({ properties }) => readAuditConfig(properties)),
    ...policies.map(auditConfigsOf),
  );
}

function ownAuditConfigs(properties: RawResource['properties']): unknown {
  const policy = at(properties, 'iamPolicy');
  return at(policy, 'auditConfigs') ?? at(policy, 'audit_configs');
}

/** Those of a whole IAM policy; a binding and a member have none. */
const auditConfigsOf = ({ properties }: RawResource) =>
  mapList(at(readJson(planned(properties, 'policy_data')), 'auditConfigs'), readAuditConfig);

/** Exports of Cloud Asset Inventory write the names of the API in snake case; Terraform has blocks, in the singular. */
function readAuditConfig(config: unknown) {
  const logs = list(
    at(config, 'auditLogConfigs') ??
      at(config, 'audit_log_configs') ??
      at(config, 'audit_log_config'),
  );
  const entries = isUnknown(logs) ? [] : logs.filter(isFields);
  return {
    service: text(at(config, 'service')),
    log_types: isUnknown(logs)
      ? logs
      : entries.map((one) => text(at(one, 'logType') ?? at(one, 'log_type'))),
    exempted_members: isUnknown(logs)
      ? logs
      : joinLists(
          ...logs.map((one) =>
            list(at(one, 'exemptedMembers') ?? planned(one, 'exempted_members')),
          ),
        ),
  };
}
