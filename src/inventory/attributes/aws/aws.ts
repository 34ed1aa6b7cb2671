import type { Normaliser } from '../normaliser.ts';
import { emrCluster, emrSecurityConfiguration } from './analytics/emr.ts';
import {
  glueConnection,
  glueDataCatalogEncryptionSettings,
  glueJob,
  glueSecurityConfiguration,
} from './analytics/glue.ts';
import { sagemakerEndpointConfig, sagemakerNotebookInstance } from './analytics/sagemaker.ts';
import { mskCluster } from './messaging/msk-cluster.ts';
import { neptuneCluster } from './database/neptune-cluster.ts';
import { memorydbCluster } from './database/memorydb-cluster.ts';
import { rdsSnapshot } from './database/rds-snapshot.ts';
import { imageLaunchPermission } from './compute/image-launch-permission.ts';
import { ssmDocument } from './compute/ssm-document.ts';
import { lightsailInstance, notebookLifecycle } from './compute/start-scripts.ts';
import { beanstalk } from './compute/beanstalk.ts';
import { ecsService } from './containers/ecs-service.ts';
import { transferServer } from './storage/transfer-server.ts';
import { appsyncApi } from './serverless/appsync-api.ts';
import { efsAccessPoint } from './storage/efs-access-point.ts';
import { autoScalingGroup } from './compute/auto-scaling-group.ts';
import { ec2Instance, elasticAddress } from './compute/ec2-instance.ts';
import { gameliftFleet } from './compute/gamelift-fleet.ts';
import { launchConfiguration } from './compute/launch-configuration.ts';
import { launchTemplate } from './compute/launch-template.ts';
import { workspacesWorkspace } from './compute/workspaces-workspace.ts';
import { apprunnerService } from './containers/apprunner-service.ts';
import { batchJobDefinition } from './containers/batch-job-definition.ts';
import { codebuildProject } from './containers/codebuild-project.ts';
import { ecrRepository } from './containers/ecr-repository.ts';
import { ecsTaskDefinition } from './containers/ecs-task-definition.ts';
import { eksCluster } from './containers/eks-cluster.ts';
import { daxCluster } from './database/dax-cluster.ts';
import { dmsEndpoint } from './database/dms-endpoint.ts';
import { dmsReplicationInstance } from './database/dms-replication-instance.ts';
import { docdbCluster } from './database/docdb-cluster.ts';
import { dynamodbTable } from './database/dynamodb-table.ts';
import { elasticacheReplicationGroup } from './database/elasticache-replication-group.ts';
import { rdsDbCluster } from './database/rds-db-cluster.ts';
import { rdsDbInstance } from './database/rds-db-instance.ts';
import { rdsParameterGroup } from './database/rds-parameter-group.ts';
import { redshiftCluster } from './database/redshift-cluster.ts';
import { cognitoIdentityPool, cognitoUserPool } from './identity/cognito.ts';
import { iamAttachments } from './identity/iam-attachments.ts';
import { iamGroup } from './identity/iam-group.ts';
import { iamPolicies } from './identity/iam-policies.ts';
import { iamRole } from './identity/iam-role.ts';
import { iamUser } from './identity/iam-user.ts';
import { microsoftAd } from './identity/microsoft-ad.ts';
import { acmCertificate } from './keys/acm-certificate.ts';
import { kmsKeyType } from './keys/kms-key.ts';
import { secret } from './keys/secret.ts';
import { cloudTrailTrail } from './logging/cloudtrail-trail.ts';
import { cloudWatchAlarm } from './logging/cloudwatch-alarm.ts';
import { configurationRecorder } from './logging/configuration-recorder.ts';
import { logGroup } from './logging/log-group.ts';
import { amazonmqBroker } from './messaging/amazonmq-broker.ts';
import { firehoseDeliveryStream } from './messaging/firehose-delivery-stream.ts';
import { iotPolicy } from './messaging/iot-policy.ts';
import { kinesisStream } from './messaging/kinesis-stream.ts';
import { snsTopic } from './messaging/sns-topic.ts';
import { sqsQueue } from './messaging/sqs-queue.ts';
import { cloudfrontDistribution } from './network/cloudfront-distribution.ts';
import { elbLoadBalancer, elbPolicy } from './network/elb-load-balancer.ts';
import { elbv2Listener } from './network/elbv2-listener.ts';
import { elbv2LoadBalancer } from './network/elbv2-load-balancer.ts';
import { networkAclEntry } from './network/network-acl-entry.ts';
import { route } from './network/route.ts';
import { securityGroupRule } from './network/security-group-rule.ts';
import { securityGroup } from './network/security-group.ts';
import { subnet } from './network/subnet.ts';
import { vpc } from './network/vpc.ts';
import { webAcl } from './network/web-acl.ts';
import {
  dynamodbGlobalTable,
  eventBusPolicy,
  ownersOfPolicies,
  resourcePolicies,
  s3AccessPoint,
} from './resource-policies.ts';
import { partPolicy, resourcePolicy } from './resource-policy.ts';
import { kendraIndex } from './search/kendra-index.ts';
import { searchDomain, searchDomainPolicy } from './search/search-domain.ts';
import {
  apiGatewayDomainName,
  apiGatewayV2DomainName,
} from './serverless/api-gateway-domain-name.ts';
import { apiGatewayMethod } from './serverless/api-gateway-method.ts';
import { apiGatewayRestApi } from './serverless/api-gateway-rest-api.ts';
import { apiGatewayStage } from './serverless/api-gateway-stage.ts';
import { apiGatewayV2Api } from './serverless/api-gateway-v2-api.ts';
import { apiGatewayV2Route } from './serverless/api-gateway-v2-route.ts';
import { apiGatewayV2Stage } from './serverless/api-gateway-v2-stage.ts';
import { lambdaFunction } from './serverless/lambda-function.ts';
import { lambdaPermission } from './serverless/lambda-permission.ts';
import { lambdaUrl } from './serverless/lambda-url.ts';
import { backupVault } from './storage/backup-vault.ts';
import { dlmLifecyclePolicy } from './storage/dlm-lifecycle-policy.ts';
import { ebsVolume } from './storage/ebs-volume.ts';
import { efsBackupPolicy, efsFileSystem } from './storage/efs-file-system.ts';
import { fsxFileSystem } from './storage/fsx-file-system.ts';
import { s3Bucket } from './storage/s3-bucket.ts';
import { bucketAcl, bucketPublicAccessBlock, bucketVersioning } from './storage/s3-parts.ts';

const documents = {
  backup: 'AWS Backup API Reference, API version 2018-11-15',
  efs: 'Amazon EFS API Reference, API version 2015-02-01',
  ses: 'Amazon SES API Reference, API version 2010-12-01',
  ecr: 'Amazon ECR API Reference, API version 2015-09-21',
  secrets: 'AWS Secrets Manager API Reference, API version 2017-10-17',
  s3: 'Amazon S3 API Reference, API version 2006-03-01',
  iam: 'AWS IAM API Reference, API version 2010-05-08',
  kms: 'AWS KMS API Reference, API version 2014-11-01',
  sns: 'Amazon SNS API Reference, API version 2010-03-31',
  sqs: 'Amazon SQS API Reference, API version 2012-11-05',
};

/** In the order of the reference: by service group. */
export const aws: readonly Normaliser[] = [
  // storage
  s3Bucket,
  bucketAcl,
  bucketPublicAccessBlock,
  bucketVersioning,
  resourcePolicy('AWS::S3::BucketPolicy', 'the bucket policy', documents.s3),
  s3AccessPoint,
  partPolicy('AWS::S3::AccessPointPolicy', 'the access point policy', documents.s3, {
    whole: 'AWS::S3::AccessPoint',
    names: ['', 'access_point_arn'],
  }),
  ebsVolume,
  efsFileSystem,
  efsBackupPolicy,
  efsAccessPoint,
  fsxFileSystem,
  dlmLifecyclePolicy,
  transferServer,
  backupVault,
  partPolicy('AWS::Backup::BackupVaultPolicy', 'the vault access policy', documents.backup, {
    whole: 'AWS::Backup::BackupVault',
    names: ['BackupVaultName', 'backup_vault_name'],
  }),
  partPolicy('AWS::EFS::FileSystemPolicy', 'the file system policy', documents.efs, {
    whole: 'AWS::EFS::FileSystem',
    names: ['FileSystemId', 'file_system_id'],
  }),
  // identity
  iamPolicies,
  partPolicy('AWS::IAM::RolePolicy', 'permissions of the role', documents.iam, {
    whole: 'AWS::IAM::Role',
    names: ['RoleName', 'role'],
  }),
  partPolicy('AWS::IAM::UserPolicy', 'permissions of the user', documents.iam, {
    whole: 'AWS::IAM::User',
    names: ['UserName', 'user'],
  }),
  partPolicy('AWS::IAM::GroupPolicy', 'permissions of the group members', documents.iam, {
    whole: 'AWS::IAM::Group',
    names: ['GroupName', 'group'],
  }),
  iamRole,
  iamUser,
  iamGroup,
  ...iamAttachments,
  resourcePolicies,
  ownersOfPolicies,
  cognitoIdentityPool,
  cognitoUserPool,
  microsoftAd,
  // keys
  acmCertificate,
  kmsKeyType,
  partPolicy('AWS::KMS::KeyPolicy', 'the key policy', documents.kms, {
    whole: 'AWS::KMS::Key',
    names: ['KeyId', 'key_id'],
  }),
  secret,
  partPolicy(
    'AWS::SecretsManager::ResourcePolicy',
    'the resource policy of the secret',
    documents.secrets,
    {
      whole: 'AWS::SecretsManager::Secret',
      names: ['SecretId', 'secret_arn'],
      document: 'ResourcePolicy',
    },
  ),
  // messaging
  amazonmqBroker,
  iotPolicy,
  mskCluster,
  snsTopic,
  resourcePolicy('AWS::SNS::TopicPolicy', 'the topic policy', documents.sns),
  resourcePolicy(
    'AWS::SES::IdentityPolicy',
    'the sending authorization policy of the identity',
    documents.ses,
  ),
  eventBusPolicy,
  sqsQueue,
  resourcePolicy('AWS::SQS::QueuePolicy', 'the queue policy', documents.sqs),
  kinesisStream,
  firehoseDeliveryStream,
  // logging
  cloudTrailTrail,
  configurationRecorder,
  logGroup,
  cloudWatchAlarm,
  // compute
  autoScalingGroup,
  launchConfiguration,
  ec2Instance,
  elasticAddress,
  gameliftFleet,
  imageLaunchPermission,
  ssmDocument,
  lightsailInstance,
  notebookLifecycle,
  beanstalk,
  launchTemplate,
  workspacesWorkspace,
  // database
  daxCluster,
  dmsEndpoint,
  dmsReplicationInstance,
  docdbCluster,
  dynamodbTable,
  dynamodbGlobalTable,
  elasticacheReplicationGroup,
  rdsDbCluster,
  rdsDbInstance,
  rdsParameterGroup,
  rdsSnapshot,
  neptuneCluster,
  memorydbCluster,
  redshiftCluster,
  // network
  cloudfrontDistribution,
  elbLoadBalancer,
  elbPolicy,
  elbv2Listener,
  elbv2LoadBalancer,
  networkAclEntry,
  route,
  securityGroup,
  securityGroupRule,
  subnet,
  vpc,
  webAcl,
  // serverless
  lambdaFunction,
  lambdaPermission,
  lambdaUrl,
  apiGatewayDomainName,
  apiGatewayMethod,
  apiGatewayRestApi,
  apiGatewayStage,
  apiGatewayV2DomainName,
  apiGatewayV2Api,
  apiGatewayV2Route,
  apiGatewayV2Stage,
  appsyncApi,
  // containers
  apprunnerService,
  batchJobDefinition,
  codebuildProject,
  ecrRepository,
  partPolicy('AWS::ECR::RepositoryPolicy', 'the repository policy', documents.ecr, {
    whole: 'AWS::ECR::Repository',
    names: ['RepositoryName', 'repository'],
  }),
  ecsService,
  ecsTaskDefinition,
  eksCluster,
  // search
  kendraIndex,
  searchDomain,
  searchDomainPolicy,
  // analytics
  emrCluster,
  emrSecurityConfiguration,
  glueConnection,
  glueDataCatalogEncryptionSettings,
  glueJob,
  glueSecurityConfiguration,
  sagemakerEndpointConfig,
  sagemakerNotebookInstance,
];
