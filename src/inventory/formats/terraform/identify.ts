import { defined } from '../../../contract/defined.ts';
import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { field, isFields, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import { at, block, isUnknown, readTags } from '../../attributes/values.ts';

/** What a provider's configuration says for all of its resources, where it is a literal. */
export interface ProviderDefaults {
  readonly region?: string | UnknownValue | undefined;
  readonly account_id?: string | UnknownValue | undefined;
  /** Tags that it gives to all of its resources. */
  readonly tags?: Fields | UnknownValue | undefined;
}

/** Attributes that hold the name that others call a resource by, where it is not `name`. */
const nameAttributes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    aws_db_instance: 'identifier',
    aws_elasticache_cluster: 'cluster_id',
    aws_elasticache_replication_group: 'replication_group_id',
    aws_elasticsearch_domain: 'domain_name',
    aws_iam_virtual_mfa_device: 'virtual_mfa_device_name',
    aws_kms_key: 'key_id',
    aws_lambda_function: 'function_name',
    aws_neptune_cluster: 'cluster_identifier',
    aws_docdb_cluster: 'cluster_identifier',
    aws_opensearch_domain: 'domain_name',
    aws_rds_cluster: 'cluster_identifier',
    aws_rds_cluster_instance: 'identifier',
    aws_redshift_cluster: 'cluster_identifier',
    aws_s3_bucket: 'bucket',
    google_bigquery_dataset: 'dataset_id',
    google_bigquery_table: 'table_id',
    google_logging_billing_account_bucket_config: 'bucket_id',
    google_logging_folder_bucket_config: 'bucket_id',
    google_logging_organization_bucket_config: 'bucket_id',
    google_logging_project_bucket_config: 'bucket_id',
    google_organization_iam_custom_role: 'role_id',
    google_project_iam_custom_role: 'role_id',
    google_secret_manager_secret: 'secret_id',
    google_service_account: 'account_id',
  }),
);

type Identity = Pick<RawResource, 'name' | 'account_id' | 'region' | 'tags' | 'names'>;

/** Name, account, region and tags of a resource, and the texts by which others of the plan may name it. */
export function identify(type: string, values: Fields, defaults: ProviderDefaults): Identity {
  const arn = arnOf(values);
  const given = values[nameAttributes.get(type) ?? 'name'];
  const known = textOf(given) ?? textOf(values['name']);
  const name = known ?? (isSurelyGiven(given) ? (given as UnknownValue) : undefined); // it is one
  const names = [arn, textOf(values['id']), textOf(values['self_link']), known];
  if (type === 'google_project') names.push(textOf(values['project_id']));
  const [, , , arnRegion, arnAccount] = arn?.split(':', 6) ?? [];
  return {
    ...defined({ name }),
    account_id:
      textOf(arnAccount) ??
      accountOf(type, values) ??
      defaults.account_id ??
      unsaid(type, 'account'),
    region: textOf(arnRegion) ?? regionOf(values) ?? defaults.region ?? unsaid(type, 'region'),
    tags: tagsOf(type, values, defaults),
    names: [...new Set(names.filter((one) => one !== undefined))],
  };
}

/** AWS takes both from its provider's settings, which a plan need not tell. */
const unsaid = (type: string, what: string): UnknownValue | undefined =>
  type.startsWith('aws_') ? new UnknownValue(`the ${what} of the provider`) : undefined;

/** The provider's own id: ARN, else `id`; undefined where it is not known yet. */
export const ownId = (values: unknown): string | undefined =>
  arnOf(values) ?? textOf(field(values, 'id'));

const arnOf = (values: unknown): string | undefined => {
  const arn = textOf(field(values, 'arn'));
  return arn?.startsWith('arn:') ? arn : undefined;
};

function accountOf(type: string, values: Fields): string | undefined {
  if (type.startsWith('google_'))
    return textOf(values[type === 'google_project' ? 'project_id' : 'project']);
  const id = textOf(values['id']);
  const subscription = id?.toLowerCase().startsWith('/subscriptions/') ? id.split('/')[2] : '';
  return textOf(subscription);
}

function regionOf(values: Fields): string | undefined {
  const location = textOf(values['region']) ?? textOf(values['location']);
  const zone = textOf(values['zone']);
  // Azure's portal writes `West Europe`; Google's links end with the region's name.
  if (location !== undefined)
    return location
      .slice(location.lastIndexOf('/') + 1)
      .toLowerCase()
      .replaceAll(' ', '');
  return zone !== undefined && /^[a-z]+-[a-z]+\d+-[a-z]$/.test(zone)
    ? zone.slice(0, -2)
    : undefined;
}

/**
 * A resource's tags and, where the plan tells, those that its provider gives to all. Providers of before 2022 plan the
 * two together as unknown where there are none.
 */
function tagsOf(type: string, values: Fields, defaults: ProviderDefaults): RawResource['tags'] {
  const [all, own] = tagAttributes(type, values);
  const complete = all.find(areKnown);
  if (complete !== undefined) return readTags(complete, 'key', 'value');
  const tags = readTags(
    own.find((one) => areKnown(one) || isSurelyGiven(one)),
    'key',
    'value',
  );
  const added = all.some(isUnknown) ? defaults.tags : undefined;
  if (added === undefined || isUnknown(tags)) return tags;
  return isUnknown(added) ? added : { ...added, ...tags };
}

/** Where a type keeps its tags together with the provider's, and by themselves. */
function tagAttributes(type: string, values: Fields): readonly [unknown[], unknown[]] {
  if (type.startsWith('aws_')) return [[values['tags_all']], [values['tags'], values['tag']]];
  if (!type.startsWith('google_')) return [[], [values['tags']]];
  const settings = block(values, 'settings');
  return [
    [values['effective_labels'], values['terraform_labels']],
    [
      values['labels'],
      values['resource_labels'],
      isUnknown(settings) ? settings : at(settings, 'user_labels'),
    ],
  ];
}

const areKnown = (tags: unknown): boolean =>
  Array.isArray(tags) || (isFields(tags) && !isUnknown(tags));

const isSurelyGiven = (value: unknown): boolean =>
  isUnknown(value) && (value.present || value.target !== undefined);
