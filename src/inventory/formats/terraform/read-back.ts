import { field, fieldsOf, isFields, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { TerraformResource } from './resource.ts';

/** A resource as it is before a plan that deletes, replaces or changes it. */
export interface Former {
  readonly type: string;
  readonly before: Fields;
}

/** What providers read back into an owner from a resource of its own. */
interface ReadBack {
  readonly owner: string;
  /** The argument that names the owner: by its ID, ARN, name or URL. */
  readonly by: string;
  readonly attributes: readonly string[];
  /** For a list: what the parts leave of an item; undefined if they alone made it. Absent: the whole attribute is the part's. */
  readonly leave?: (parts: readonly Fields[]) => (item: unknown) => unknown;
}

const ofBucket = (...attributes: readonly string[]): ReadBack => ({
  owner: 'aws_s3_bucket',
  by: 'bucket',
  attributes,
});
const policyOf = (owner: string, by: string, attribute = 'policy'): ReadBack => ({
  owner,
  by,
  attributes: [attribute],
});

/** Nothing of an item with the name of a part. */
const named = (parts: readonly Fields[]) => {
  const names = new Set(parts.map(({ name }) => name));
  return (item: unknown): unknown => (names.has(field(item, 'name')) ? undefined : item);
};

/** Nothing of a policy that is detached. */
const attached = (parts: readonly Fields[]) => {
  const arns = new Set(parts.map(({ policy_arn: arn }) => arn));
  return (item: unknown): unknown => (arns.has(item) ? undefined : item);
};

const ofGroup = (attribute: string): ReadBack => ({
  owner: 'aws_security_group',
  by: 'security_group_id',
  attributes: [attribute],
  leave: withoutSources,
});

const readBack: Readonly<Record<string, (before: Fields) => ReadBack>> = {
  aws_s3_bucket_acl: () => ofBucket('acl', 'grant'),
  aws_s3_bucket_cors_configuration: () => ofBucket('cors_rule'),
  aws_s3_bucket_lifecycle_configuration: () => ofBucket('lifecycle_rule'),
  aws_s3_bucket_logging: () => ofBucket('logging'),
  aws_s3_bucket_object_lock_configuration: () => ofBucket('object_lock_configuration'),
  aws_s3_bucket_policy: () => ofBucket('policy'),
  aws_s3_bucket_replication_configuration: () => ofBucket('replication_configuration'),
  aws_s3_bucket_server_side_encryption_configuration: () => ofBucket('server_side_encryption_configuration'), // prettier-ignore
  aws_s3_bucket_versioning: () => ofBucket('versioning'),
  aws_s3_bucket_website_configuration: () => ofBucket('website'),
  aws_security_group_rule: ({ type }) => ofGroup(type === 'egress' ? 'egress' : 'ingress'),
  aws_vpc_security_group_ingress_rule: () => ofGroup('ingress'),
  aws_vpc_security_group_egress_rule: () => ofGroup('egress'),
  aws_iam_role_policy: () => ({
    owner: 'aws_iam_role',
    by: 'role',
    attributes: ['inline_policy'],
    leave: named,
  }),
  aws_iam_role_policy_attachment: () => ({
    owner: 'aws_iam_role',
    by: 'role',
    attributes: ['managed_policy_arns'],
    leave: attached,
  }),
  aws_sns_topic_policy: () => policyOf('aws_sns_topic', 'arn'),
  aws_sqs_queue_policy: () => policyOf('aws_sqs_queue', 'queue_url'),
  aws_kms_key_policy: () => policyOf('aws_kms_key', 'key_id'),
  aws_secretsmanager_secret_policy: () => policyOf('aws_secretsmanager_secret', 'secret_arn'),
  aws_opensearch_domain_policy: () => policyOf('aws_opensearch_domain', 'domain_name', 'access_policies'), // prettier-ignore
  aws_elasticsearch_domain_policy: () => policyOf('aws_elasticsearch_domain', 'domain_name', 'access_policies'), // prettier-ignore
  azurerm_storage_account_network_rules: () => ({
    owner: 'azurerm_storage_account',
    by: 'storage_account_id',
    attributes: ['network_rules'],
  }),
  azurerm_network_security_rule: () => ({
    owner: 'azurerm_network_security_group',
    by: 'network_security_group_name',
    attributes: ['security_rule'],
    leave: named,
  }),
};

/**
 * The resources without what their provider had read back of parts that the plan deletes, replaces or changes. A plan shows
 * an owner that stays as it was refreshed, with the rule that is about to go or the versioning that is about to end. What
 * the configuration of the owner sets itself stays, and so does what may be that of several owners with one name.
 */
export function withoutFormer(
  resources: readonly TerraformResource[],
  formers: readonly Former[],
): readonly TerraformResource[] {
  const ownerOf = indexOwners(resources, formers);
  const lost = new Map<TerraformResource, Map<string, Lost>>();
  for (const { type, before } of formers) {
    const of = readBack[type]?.(before);
    const owner = of && ownerOf(of, before);
    if (!owner) continue;
    const its = lost.get(owner) ?? new Map<string, Lost>();
    lost.set(owner, its);
    for (const attribute of of.attributes) {
      if (owner.sets?.(attribute) === true) continue;
      const known = its.get(attribute) ?? { leave: of.leave, parts: [] };
      known.parts.push(before);
      its.set(attribute, known);
    }
  }
  return resources.map((one) => {
    const its = lost.get(one);
    return its ? { ...one, values: withoutLost(one.values, its) } : one;
  });
}

/** What an attribute of an owner loses. */
interface Lost {
  readonly leave: ReadBack['leave'];
  readonly parts: Fields[];
}

function withoutLost(values: Fields, lost: ReadonlyMap<string, Lost>): Fields {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const its = lost.get(name);
      if (!its) return [[name, value]];
      if (!its.leave) return [];
      const leftOf = its.leave(its.parts);
      const left = Array.isArray(value)
        ? value.flatMap((item: unknown) => leftOf(item) ?? [])
        : value;
      return [[name, left]];
    }),
  );
}

/** Finds the owner that a part names; undefined for none, and for several. */
function indexOwners(
  resources: readonly TerraformResource[],
  formers: readonly Former[],
): (of: ReadBack, before: Fields) => TerraformResource | undefined {
  const wanted = new Set(formers.map(({ type, before }) => readBack[type]?.(before).owner));
  const owners = new Map<string, TerraformResource | undefined>();
  for (const one of resources) {
    if (!wanted.has(one.type)) continue;
    const { id, arn, name, bucket, url, key_id, domain_name } = one.values;
    for (const own of new Set([id, arn, name, bucket, url, key_id, domain_name])) {
      if (typeof own !== 'string') continue;
      const key = ownerKey(one.type, own, one.values);
      owners.set(key, owners.has(key) ? undefined : one);
    }
  }
  return ({ owner, by }, before) => owners.get(ownerKey(owner, before[by], before));
}

/** Names of Azure are those of a resource group. */
const ownerKey = (type: string, name: unknown, { resource_group_name: group }: Fields): string =>
  JSON.stringify([type, name, type === 'azurerm_network_security_group' ? group : null]);

/** What names the sources of a rule in a group, and in rules that are resources of their own. */
const ofGroups = ['cidr_blocks', 'ipv6_cidr_blocks', 'prefix_list_ids', 'security_groups'] as const;
const ofParts = [
  ...['cidr_blocks', 'ipv6_cidr_blocks', 'prefix_list_ids', 'source_security_group_id'],
  ...['cidr_ipv4', 'cidr_ipv6', 'prefix_list_id', 'referenced_security_group_id'],
];

/** A rule of a group stands for all sources of its ports and protocol: it loses those of rules that were resources of their own. */
function withoutSources(parts: readonly Fields[]) {
  const removed = new Map<string, { readonly sources: Set<unknown>; self: boolean }>();
  for (const part of parts) {
    const its = removed.get(trafficOf(part)) ?? { sources: new Set<unknown>(), self: false };
    removed.set(trafficOf(part), its);
    for (const source of ofParts.flatMap((name) => part[name])) its.sources.add(source);
    if (part['self'] === true) its.self = true;
  }
  return (rule: unknown): unknown => {
    const its = isFields(rule) ? removed.get(trafficOf(rule)) : undefined;
    if (!isFields(rule) || !its) return rule;
    const left = ofGroups.map(
      (name) => [name, itemsOf(rule[name]).filter((one) => !its.sources.has(one))] as const,
    );
    const self = rule['self'] === true && !its.self;
    const isEmpty = !self && left.every(([, sources]) => sources.length === 0);
    return isEmpty ? undefined : { ...rule, ...Object.fromEntries(left), self };
  };
}

/** Protocol and ports. For all protocols, groups have the ports 0 and 0, and newer rules none. */
function trafficOf({
  protocol,
  ip_protocol: ofRule,
  from_port: from,
  to_port: to,
}: Fields): string {
  const name = String(ofRule ?? protocol).toLowerCase();
  return name === '-1' ? name : `${name} ${String(from)} ${String(to)}`;
}

/** What a plan deletes, replaces or changes, of the parts that owners show. */
export const listFormers = (plan: Fields): Former[] =>
  itemsOf(plan['resource_changes']).flatMap((entry): Former[] => {
    const type = textOf(field(entry, 'type')) ?? '';
    const change = field(entry, 'change');
    const before = field(change, 'before');
    const actions = itemsOf(field(change, 'actions'));
    if (!Object.hasOwn(readBack, type) || !isFields(before)) return [];
    return actions.includes('delete') || actions.includes('update')
      ? [{ type, before: fieldsOf(before) }]
      : [];
  });
