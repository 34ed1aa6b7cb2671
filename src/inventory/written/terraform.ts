import type { HclSetting, HclValue } from '../formats/terraform/edit-hcl.ts';
import { leafOf } from './leaf.ts';

/** A setting that is a resource of its own, which refers to the one that it is about. */
export interface Part {
  readonly type: string;
  /** The argument that refers to it. */
  readonly by: string;
  /** What it needs beside the setting, where it is new. */
  readonly also: readonly HclSetting[];
  /** Versions of the provider that had a default ACL for buckets, before 4, have no such resource. */
  readonly isSince4: boolean;
}

/** An argument, and how earlier versions of the provider call it. */
export interface TerraformSetting extends HclSetting {
  readonly formerly?: string;
}

/** How Terraform writes an attribute. */
interface Written {
  /** Blocks and the argument: `metadata_options.http_tokens`. */
  readonly path: readonly string[];
  /** What stands for a value of the attribute, by its JSON; without it, the value itself. */
  readonly values?: Readonly<Record<string, HclValue>>;
  readonly formerly?: string;
  /** Further arguments that belong to it. */
  readonly with?: readonly HclSetting[];
  readonly part?: Part;
  /** Only in a part that is new: its blocks stand for several things. */
  readonly isFresh?: true;
  /** Where versions of the provider before parts write it, in the resource itself. */
  readonly older?: Written;
}

const at = (path: string, values?: Written['values']): Written => ({
  path: path.split('.'),
  ...(values ? { values } : {}),
});

const set = (path: string, value: HclValue): HclSetting => ({ path: path.split('.'), value });

const part = (
  type: string,
  by: string,
  written: Written,
  more: Pick<Written, 'older' | 'isFresh'> & { readonly also?: readonly HclSetting[] } = {},
): Written => {
  const { also = [], ...rest } = more;
  const isSince4 =
    type.startsWith('aws_s3_bucket_') && type !== 'aws_s3_bucket_public_access_block';
  return { ...written, ...rest, part: { type, by, also, isSince4 } };
};

const bucketPart = (kind: string, written: Written, more?: Parameters<typeof part>[3]): Written =>
  part(`aws_s3_bucket_${kind}`, 'bucket', written, more);

/** An argument of one word that had another name. */
const renamed = (name: string, formerly: string, values: Written['values']): Written => ({
  ...at(name, values),
  formerly,
});

const sseDefault = 'rule.apply_server_side_encryption_by_default';
const olderSse = `server_side_encryption_configuration.${sseDefault}`;
const on = { true: true } as const;
const off = { false: false } as const;
/** Of a search domain. */
const tlsPolicy = { '"1.2"': 'Policy-Min-TLS-1-2-2019-07' } as const;

const abortAfter = { '[{"enabled":true,"abort_incomplete_upload_days":7}]': 7 } as const;

const searchDomain = {
  'tls.required': at('domain_endpoint_options.enforce_https', on),
  'tls.minimum_version': at('domain_endpoint_options.tls_security_policy', tlsPolicy),
};
const loadBalancer = {
  deletion_protection: at('enable_deletion_protection', on),
  drop_invalid_headers: at('drop_invalid_header_fields', on),
};
const listener = {
  'tls.minimum_version': at('ssl_policy', { '"1.2"': 'ELBSecurityPolicy-TLS13-1-2-2021-06' }),
};

/**
 * By Terraform's type and attribute, as a patch names it; from the documentation of the providers in the Terraform
 * registry. Only what they change in place: see `cloudformation.ts`.
 */
const table: Readonly<Record<string, Readonly<Record<string, Written>>>> = {
  aws_alb: loadBalancer,
  aws_alb_listener: listener,
  aws_api_gateway_domain_name: {
    'tls.minimum_version': at('security_policy', { '"1.2"': 'TLS_1_2' }),
  },
  aws_cloudfront_distribution: {
    'tls.minimum_version': at('viewer_certificate.minimum_protocol_version', {
      '"1.2"': 'TLSv1.2_2021',
    }),
    'tls.sni': at('viewer_certificate.ssl_support_method', { true: 'sni-only' }),
  },
  aws_cloudtrail: {
    'encryption.kms_key_id': at('kms_key_id'),
    log_file_validation: at('enable_log_file_validation', on),
    'logging.enabled': at('enable_logging', on),
    multi_region: at('is_multi_region_trail', on),
  },
  aws_cloudwatch_log_group: {
    'encryption.kms_key_id': at('kms_key_id'),
    retention_days: at('retention_in_days'),
  },
  aws_db_instance: {
    auto_minor_version_upgrade: at('auto_minor_version_upgrade', on),
    'backup.retention_days': at('backup_retention_period'),
    deletion_protection: at('deletion_protection', on),
    iam_authentication: at('iam_database_authentication_enabled', on),
    multi_az: at('multi_az', on),
    public_access: at('publicly_accessible', off),
  },
  aws_dynamodb_table: {
    'backup.point_in_time_recovery': at('point_in_time_recovery.enabled', on),
    'encryption.kms': at('server_side_encryption.enabled', on),
    'encryption.kms_key_id': at('server_side_encryption.kms_key_arn'),
  },
  aws_ecr_repository: {
    immutable_tags: at('image_tag_mutability', { true: 'IMMUTABLE' }),
    scan_on_push: at('image_scanning_configuration.scan_on_push', on),
  },
  aws_efs_file_system: {
    'backup.enabled': part(
      'aws_efs_backup_policy',
      'file_system_id',
      at('backup_policy.status', { true: 'ENABLED' }),
    ),
  },
  aws_elasticsearch_domain: searchDomain,
  aws_elb: { cross_zone: at('cross_zone_load_balancing', on) },
  aws_instance: {
    detailed_monitoring: at('monitoring', on),
    'metadata_service.http_tokens': at('metadata_options.http_tokens'),
  },
  aws_kinesis_stream: {
    'encryption.enabled': {
      ...at('encryption_type', { true: 'KMS' }),
      with: [set('kms_key_id', 'alias/aws/kinesis')],
    },
  },
  aws_kms_key: { 'rotation.enabled': at('enable_key_rotation', on) },
  aws_launch_template: {
    'metadata_service.http_tokens': at('metadata_options.http_tokens'),
  },
  aws_lb: loadBalancer,
  aws_lb_listener: listener,
  aws_opensearch_domain: searchDomain,
  aws_rds_cluster: { deletion_protection: at('deletion_protection', on) },
  aws_rds_cluster_instance: {
    auto_minor_version_upgrade: at('auto_minor_version_upgrade', on),
    public_access: at('publicly_accessible', off),
  },
  aws_redshift_cluster: {
    'backup.retention_days': at('automated_snapshot_retention_period'),
    enhanced_vpc_routing: at('enhanced_vpc_routing', on),
    public_access: at('publicly_accessible', off),
    version_upgrade: at('allow_version_upgrade', on),
  },
  aws_s3_bucket: {
    acl: bucketPart('acl', at('acl'), { older: at('acl') }),
    'encryption.algorithm': bucketPart(
      'server_side_encryption_configuration',
      at(`${sseDefault}.sse_algorithm`),
      { older: at(`${olderSse}.sse_algorithm`) },
    ),
    'encryption.kms_key_id': bucketPart(
      'server_side_encryption_configuration',
      at(`${sseDefault}.kms_master_key_id`),
      { older: at(`${olderSse}.kms_master_key_id`) },
    ),
    'lifecycle.rules': bucketPart(
      'lifecycle_configuration',
      at('rule.abort_incomplete_multipart_upload.days_after_initiation', abortAfter),
      {
        isFresh: true,
        older: {
          ...at('lifecycle_rule.abort_incomplete_multipart_upload_days', abortAfter),
          with: [
            set('lifecycle_rule.id', 'abort-incomplete-uploads'),
            set('lifecycle_rule.enabled', true),
          ],
        },
        also: [
          set('rule.id', 'abort-incomplete-uploads'),
          set('rule.status', 'Enabled'),
          set('rule.filter.prefix', ''),
        ],
      },
    ),
    'logging.target_bucket': bucketPart('logging', at('target_bucket'), {
      older: at('logging.target_bucket'),
      also: [set('target_prefix', 'log/')],
    }),
    'public_access_block.block_public_acls': bucketPart(
      'public_access_block',
      at('block_public_acls', on),
    ),
    'public_access_block.block_public_policy': bucketPart(
      'public_access_block',
      at('block_public_policy', on),
    ),
    'public_access_block.ignore_public_acls': bucketPart(
      'public_access_block',
      at('ignore_public_acls', on),
    ),
    'public_access_block.restrict_public_buckets': bucketPart(
      'public_access_block',
      at('restrict_public_buckets', on),
    ),
    'versioning.enabled': bucketPart(
      'versioning',
      at('versioning_configuration.status', { true: 'Enabled' }),
      { older: at('versioning.enabled', on) },
    ),
  },
  aws_secretsmanager_secret: { 'encryption.kms_key_id': at('kms_key_id') },
  aws_sns_topic: { 'encryption.kms_key_id': at('kms_master_key_id') },
  aws_sqs_queue: {
    'encryption.enabled': at('sqs_managed_sse_enabled', on),
    'encryption.kms_key_id': at('kms_master_key_id'),
  },
  aws_subnet: { public_ip_on_launch: at('map_public_ip_on_launch', off) },
  azurerm_mssql_server: { 'tls.minimum_version': at('minimum_tls_version', { '"1.2"': '1.2' }) },
  azurerm_storage_account: {
    anonymous_access: renamed('allow_nested_items_to_be_public', 'allow_blob_public_access', off),
    local_auth: at('shared_access_key_enabled', off),
    'soft_delete.retention_days': at('blob_properties.delete_retention_policy.days'),
    'tls.minimum_version': at('min_tls_version', { '"1.2"': 'TLS1_2' }),
    'tls.required': renamed('https_traffic_only_enabled', 'enable_https_traffic_only', on),
    'versioning.enabled': at('blob_properties.versioning_enabled', on),
  },
  google_compute_ssl_policy: {
    'tls.minimum_version': at('min_tls_version', { '"1.2"': 'TLS_1_2' }),
    'tls.profile': at('profile'),
  },
  google_compute_subnetwork: { private_google_access: at('private_ip_google_access', on) },
  google_kms_crypto_key: { 'rotation.enabled': at('rotation_period', { true: '7776000s' }) },
  google_sql_database_instance: {
    deletion_protection: at('settings.deletion_protection_enabled', on),
    'tls.required': at('settings.ip_configuration.ssl_mode', { true: 'ENCRYPTED_ONLY' }),
  },
  google_storage_bucket: {
    public_access_prevention: at('public_access_prevention', { true: 'enforced' }),
    uniform_bucket_level_access: renamed('uniform_bucket_level_access', 'bucket_policy_only', on),
    'versioning.enabled': at('versioning.enabled', on),
  },
};

/** What is written for a value, in the resource itself, in a part of it, or both in turn. */
export interface TerraformSettings {
  readonly settings: readonly TerraformSetting[];
  readonly part?: Part;
  readonly isFresh?: true;
  readonly older?: readonly TerraformSetting[];
}

/** How Terraform sets an attribute to a value; undefined where nothing is known to. */
export function writtenInTerraform(
  type: string,
  attribute: string,
  value: unknown,
): TerraformSettings | undefined {
  const attributes = Object.hasOwn(table, type) ? table[type] : undefined;
  const written =
    attributes && Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
  const settings = written && settingsOf(written, value);
  if (!written || !settings) return undefined;
  const { part: own, isFresh, older } = written;
  const inside = older && settingsOf(older, value);
  return {
    settings,
    ...(own ? { part: own } : {}),
    ...(isFresh ? { isFresh } : {}),
    ...(inside ? { older: inside } : {}),
  };
}

function settingsOf(
  { path, values, formerly, with: more = [] }: Written,
  value: unknown,
): readonly TerraformSetting[] | undefined {
  const meant = leafOf<HclValue>(values, value);
  if (meant === undefined) return undefined;
  return [{ path, value: meant, ...(formerly === undefined ? {} : { formerly }) }, ...more];
}
