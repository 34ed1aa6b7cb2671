import type { EditValue } from '../text/edit-text.ts';
import { leafOf } from './leaf.ts';

/** How a template writes an attribute. */
interface Written {
  /** Below `Properties`. */
  readonly path: readonly string[];
  /** What stands for a value of the attribute, by its JSON; without it, the value itself. */
  readonly values?: Readonly<Record<string, EditValue>>;
}

const at = (path: string, values?: Readonly<Record<string, EditValue>>): Written => ({
  path: path.split('.'),
  ...(values ? { values } : {}),
});

/**
 * By type and attribute, as a patch names it. Only what AWS changes in place: what makes it replace the resource, such as
 * the encryption of a database's storage, is no fix.
 */
const table: Readonly<Record<string, Readonly<Record<string, Written>>>> = {
  'AWS::ElasticLoadBalancingV2::Listener': {
    'tls.minimum_version': at('SslPolicy', {
      '"1.2"': 'ELBSecurityPolicy-TLS13-1-2-2021-06',
    }),
  },
  'AWS::OpenSearchService::Domain': {
    'tls.required': at('DomainEndpointOptions.EnforceHTTPS'),
    'tls.minimum_version': at('DomainEndpointOptions.TLSSecurityPolicy', {
      '"1.2"': 'Policy-Min-TLS-1-2-2019-07',
    }),
  },
  'AWS::Elasticsearch::Domain': {
    'tls.required': at('DomainEndpointOptions.EnforceHTTPS'),
    'tls.minimum_version': at('DomainEndpointOptions.TLSSecurityPolicy', {
      '"1.2"': 'Policy-Min-TLS-1-2-2019-07',
    }),
  },
  'AWS::SQS::Queue': {
    'encryption.enabled': at('SqsManagedSseEnabled'),
  },
  'AWS::SNS::Topic': {
    'encryption.kms_key_id': at('KmsMasterKeyId'),
  },
  'AWS::ApiGateway::DomainName': {
    'tls.minimum_version': at('SecurityPolicy', { '"1.2"': 'TLS_1_2' }),
  },
  'AWS::CloudTrail::Trail': {
    'encryption.kms_key_id': at('KMSKeyId'),
    'logging.enabled': at('IsLogging'),
    log_file_validation: at('EnableLogFileValidation'),
    multi_region: at('IsMultiRegionTrail'),
  },
  'AWS::DynamoDB::Table': {
    'encryption.kms': at('SSESpecification.SSEEnabled'),
    'backup.point_in_time_recovery': at(
      'PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled',
    ),
  },
  'AWS::EC2::Instance': {
    detailed_monitoring: at('Monitoring'),
    'metadata_service.http_tokens': at('MetadataOptions.HttpTokens'),
  },
  'AWS::EC2::LaunchTemplate': {
    'metadata_service.http_tokens': at('LaunchTemplateData.MetadataOptions.HttpTokens'),
  },
  'AWS::EC2::Subnet': {
    public_ip_on_launch: at('MapPublicIpOnLaunch'),
  },
  'AWS::ECR::Repository': {
    immutable_tags: at('ImageTagMutability', { true: 'IMMUTABLE' }),
    scan_on_push: at('ImageScanningConfiguration.ScanOnPush'),
  },
  'AWS::EFS::FileSystem': {
    'backup.enabled': at('BackupPolicy.Status', { true: 'ENABLED' }),
  },
  'AWS::ElasticLoadBalancing::LoadBalancer': {
    cross_zone: at('CrossZone'),
  },
  'AWS::KMS::Key': {
    'rotation.enabled': at('EnableKeyRotation'),
  },
  'AWS::Logs::LogGroup': {
    'encryption.kms_key_id': at('KmsKeyId'),
    retention_days: at('RetentionInDays'),
  },
  'AWS::RDS::DBCluster': {
    deletion_protection: at('DeletionProtection'),
  },
  'AWS::RDS::DBInstance': {
    auto_minor_version_upgrade: at('AutoMinorVersionUpgrade'),
    'backup.retention_days': at('BackupRetentionPeriod'),
    deletion_protection: at('DeletionProtection'),
    iam_authentication: at('EnableIAMDatabaseAuthentication'),
    multi_az: at('MultiAZ'),
    public_access: at('PubliclyAccessible'),
  },
  'AWS::Redshift::Cluster': {
    'backup.retention_days': at('AutomatedSnapshotRetentionPeriod'),
    version_upgrade: at('AllowVersionUpgrade'),
    enhanced_vpc_routing: at('EnhancedVpcRouting'),
    public_access: at('PubliclyAccessible'),
  },
  'AWS::S3::Bucket': {
    acl: at('AccessControl', { '"private"': 'Private' }),
    'logging.target_bucket': at('LoggingConfiguration.DestinationBucketName'),
    'encryption.algorithm': at('BucketEncryption.ServerSideEncryptionConfiguration', {
      '"AES256"': [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
    }),
    'public_access_block.block_public_acls': at('PublicAccessBlockConfiguration.BlockPublicAcls'),
    'public_access_block.block_public_policy': at(
      'PublicAccessBlockConfiguration.BlockPublicPolicy',
    ),
    'public_access_block.ignore_public_acls': at('PublicAccessBlockConfiguration.IgnorePublicAcls'),
    'public_access_block.restrict_public_buckets': at(
      'PublicAccessBlockConfiguration.RestrictPublicBuckets',
    ),
    'versioning.enabled': at('VersioningConfiguration.Status', { true: 'Enabled' }),
  },
};

/**
 * What a template says where an attribute has a value: a path below `Properties`, and the value there. Undefined where
 * nothing is known to.
 */
export function writtenInTemplate(
  type: string,
  attribute: string,
  value: unknown,
): { readonly path: readonly string[]; readonly value: EditValue } | undefined {
  const written = Object.hasOwn(table, type) ? table[type] : undefined;
  const entry = written && Object.hasOwn(written, attribute) ? written[attribute] : undefined;
  if (!entry) return undefined;
  const meant = leafOf<EditValue>(entry.values, value);
  return meant === undefined ? undefined : { path: entry.path, value: meant };
}
