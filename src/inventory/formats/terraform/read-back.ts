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
  /** What is left of an item of such a list; undefined if the part alone made it. Absent: the whole attribute is the part's. */
  readonly leave?: (item: unknown, before: Fields) => unknown;
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

/** Nothing of an item with the same name. */
const named =
  (name: string, ofPart = name) =>
  (item: unknown, before: Fields): unknown =>
    field(item, name) === before[ofPart] ? undefined : item;

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
    leave: named('name'),
  }),
  aws_iam_role_policy_attachment: () => ({
    owner: 'aws_iam_role',
    by: 'role',
    attributes: ['managed_policy_arns'],
    leave: (arn, { policy_arn: detached }) => (arn === detached ? undefined : arn),
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
    leave: named('name'),
  }),
};

/**
 * The resources without what their provider had read back of parts that the plan deletes, replaces or changes. A plan shows
 * an owner that stays as it was refreshed, with the rule that is about to go or the versioning that is about to end. What
 * the configuration of the owner sets itself stays.
 */
export function withoutFormer(
  resources: readonly TerraformResource[],
  formers: readonly Former[],
): readonly TerraformResource[] {
  const gone = new Map<TerraformResource, Record<string, unknown>>();
  const owners = indexOwners(resources, formers);
  for (const { type, before } of formers) {
    const of = readBack[type]?.(before);
    const name = of && textOf(before[of.by]);
    for (const owner of (name === undefined ? undefined : owners.get(`${of?.owner} ${name}`)) ??
      []) {
      const values = gone.get(owner) ?? { ...owner.values };
      for (const attribute of of?.attributes ?? []) {
        if (owner.sets?.(attribute) !== true) forget(values, attribute, of?.leave, before);
      }
      gone.set(owner, values);
    }
  }
  return resources.map((one) => {
    const values = gone.get(one);
    return values ? { ...one, values } : one;
  });
}

function forget(
  values: Record<string, unknown>,
  attribute: string,
  leave: ReadBack['leave'],
  before: Fields,
): void {
  const value = values[attribute];
  if (leave && Array.isArray(value)) {
    values[attribute] = value.flatMap((item: unknown) => leave(item, before) ?? []);
  } else if (!leave) delete values[attribute];
}

function indexOwners(
  resources: readonly TerraformResource[],
  formers: readonly Former[],
): ReadonlyMap<string, readonly TerraformResource[]> {
  const wanted = new Set(formers.map(({ type, before }) => readBack[type]?.(before).owner));
  const owners = new Map<string, TerraformResource[]>();
  for (const one of resources) {
    if (!wanted.has(one.type)) continue;
    const { id, arn, name, bucket, url, key_id, domain_name } = one.values;
    const names = [id, arn, name, bucket, url, key_id, domain_name].map(textOf);
    for (const own of new Set(names)) {
      if (own === undefined) continue;
      const key = `${one.type} ${own}`;
      const same = owners.get(key);
      if (same) same.push(one);
      else owners.set(key, [one]);
    }
  }
  return owners;
}

const sources = {
  cidr_blocks: ['cidr_blocks', 'cidr_ipv4'],
  ipv6_cidr_blocks: ['ipv6_cidr_blocks', 'cidr_ipv6'],
  prefix_list_ids: ['prefix_list_ids', 'prefix_list_id'],
  security_groups: ['source_security_group_id', 'referenced_security_group_id'],
} as const;

/** A rule of a group, which stands for all of its ports and protocol, without the sources of a rule that was a resource of its own. */
function withoutSources(rule: unknown, before: Fields): unknown {
  if (!isFields(rule) || !isSameTraffic(rule, before)) return rule;
  const left: Record<string, unknown> = { ...rule };
  for (const [name, ofPart] of Object.entries(sources)) {
    const removed = new Set(ofPart.flatMap((one) => itemsOrOne(before[one])));
    left[name] = itemsOf(rule[name]).filter((source) => !removed.has(source));
  }
  if (before['self'] === true) left['self'] = false;
  const isEmpty = Object.keys(sources).every((name) => itemsOf(left[name]).length === 0);
  return isEmpty && left['self'] !== true ? undefined : left;
}

const itemsOrOne = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

function isSameTraffic(rule: Fields, before: Fields): boolean {
  const protocolOf = ({ protocol, ip_protocol: ofRule }: Fields): string =>
    String(ofRule ?? protocol).toLowerCase();
  const protocol = protocolOf(rule);
  if (protocol !== protocolOf(before)) return false;
  // For all protocols, groups have the ports 0 and 0, and newer rules none.
  const portsOf = ({ from_port: from, to_port: to }: Fields): string =>
    protocol === '-1' ? '' : `${String(from)} ${String(to)}`;
  return portsOf(rule) === portsOf(before);
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
