import type { Fields } from '../resolver.ts';
import { own } from '../resolver.ts';
import { unknownPart, sub } from './written.ts';

/**
 * "AWS SAM policy templates" (AWS SAM Developer Guide): what each grants, as `actions -> resources`. The first action
 * of a statement names the service. `:table/x` is an ARN of the service in the region and account of the deployment,
 * `::bucket` one without either, `*` is all; `${Name}` is a parameter of the template.
 */
const templates: Readonly<Record<string, readonly string[]>> = {
  AcmGetCertificatePolicy: ['acm:GetCertificate -> ${CertificateArn}'],
  AMIDescribePolicy: ['ec2:DescribeImages -> :image/*'],
  AthenaQueryPolicy: [
    'athena:ListWorkGroups GetExecutionEngine GetExecutionEngines GetNamespace GetCatalogs GetNamespaces GetTables GetTable -> *',
    'athena:StartQueryExecution GetQueryResults DeleteNamedQuery GetNamedQuery ListQueryExecutions StopQueryExecution GetQueryResultsStream ListNamedQueries CreateNamedQuery GetQueryExecution BatchGetNamedQuery BatchGetQueryExecution GetWorkGroup -> :workgroup/${WorkGroupName}',
  ],
  AWSSecretsManagerGetSecretValuePolicy: ['secretsmanager:GetSecretValue -> ${SecretArn}'],
  CloudFormationDescribeStacksPolicy: ['cloudformation:DescribeStacks -> :stack/*'],
  CloudWatchDashboardPolicy: [
    'cloudwatch:GetDashboard ListDashboards PutDashboard ListMetrics -> *',
  ],
  CloudWatchDescribeAlarmHistoryPolicy: ['cloudwatch:DescribeAlarmHistory -> *'],
  CloudWatchPutMetricPolicy: ['cloudwatch:PutMetricData -> *'],
  CodePipelineLambdaExecutionPolicy: ['codepipeline:PutJobSuccessResult PutJobFailureResult -> *'],
  CodePipelineReadOnlyPolicy: ['codepipeline:ListPipelineExecutions -> :${PipelineName}'],
  ComprehendBasicAccessPolicy: [
    'comprehend:BatchDetectKeyPhrases DetectDominantLanguage DetectEntities BatchDetectEntities DetectKeyPhrases DetectSentiment BatchDetectDominantLanguage BatchDetectSentiment -> *',
  ],
  CostExplorerReadOnlyPolicy: [
    'ce:GetCostAndUsage GetDimensionValues GetReservationCoverage GetReservationPurchaseRecommendation GetReservationUtilization GetTags -> *',
  ],
  DynamoDBBackupFullAccessPolicy: [
    'dynamodb:CreateBackup DescribeContinuousBackups -> :table/${TableName}',
    'dynamodb:DeleteBackup DescribeBackup ListBackups -> :table/${TableName}/backup/*',
  ],
  DynamoDBCrudPolicy: [
    'dynamodb:GetItem DeleteItem PutItem Scan Query UpdateItem BatchWriteItem BatchGetItem DescribeTable ConditionCheckItem -> :table/${TableName} :table/${TableName}/index/*',
  ],
  DynamoDBReadPolicy: [
    'dynamodb:GetItem Scan Query BatchGetItem DescribeTable -> :table/${TableName} :table/${TableName}/index/*',
  ],
  DynamoDBReconfigurePolicy: ['dynamodb:UpdateTable -> :table/${TableName}'],
  DynamoDBRestoreFromBackupPolicy: [
    'dynamodb:RestoreTableFromBackup -> :table/${TableName}/backup/*',
    'dynamodb:PutItem UpdateItem DeleteItem GetItem Query Scan BatchWriteItem -> :table/${TableName}',
  ],
  DynamoDBStreamReadPolicy: [
    'dynamodb:DescribeStream GetRecords GetShardIterator -> :table/${TableName}/stream/${StreamName}',
    'dynamodb:ListStreams -> :table/${TableName}/stream/*',
  ],
  DynamoDBWritePolicy: [
    'dynamodb:PutItem UpdateItem BatchWriteItem -> :table/${TableName} :table/${TableName}/index/*',
  ],
  EC2CopyImagePolicy: ['ec2:CopyImage -> :image/${ImageId}'],
  EC2DescribePolicy: ['ec2:DescribeRegions DescribeInstances -> *'],
  EKSDescribePolicy: ['eks:DescribeCluster ListClusters -> *'],
  ElasticsearchHttpPostPolicy: ['es:ESHttpPost ESHttpPut -> :domain/${DomainName}/*'],
  EventBridgePutEventsPolicy: ['events:PutEvents -> :event-bus/${EventBusName}'],
  FilterLogEventsPolicy: ['logs:FilterLogEvents -> :log-group:${LogGroupName}:log-stream:*'],
  FirehoseCrudPolicy: [
    'firehose:CreateDeliveryStream DeleteDeliveryStream DescribeDeliveryStream PutRecord PutRecordBatch UpdateDestination -> :deliverystream/${DeliveryStreamName}',
  ],
  FirehoseWritePolicy: [
    'firehose:PutRecord PutRecordBatch -> :deliverystream/${DeliveryStreamName}',
  ],
  KinesisCrudPolicy: [
    'kinesis:AddTagsToStream CreateStream DecreaseStreamRetentionPeriod DeleteStream DescribeStream DescribeStreamSummary GetShardIterator IncreaseStreamRetentionPeriod ListTagsForStream MergeShards PutRecord PutRecords SplitShard RemoveTagsFromStream -> :stream/${StreamName}',
  ],
  KinesisStreamReadPolicy: [
    'kinesis:ListStreams DescribeLimits -> :stream/*',
    'kinesis:DescribeStream DescribeStreamSummary GetRecords GetShardIterator -> :stream/${StreamName}',
  ],
  KMSDecryptPolicy: ['kms:Decrypt -> :key/${KeyId}'],
  KMSEncryptPolicy: ['kms:Encrypt -> :key/${KeyId}'],
  LambdaInvokePolicy: ['lambda:InvokeFunction -> :function:${FunctionName}*'],
  MobileAnalyticsWriteOnlyAccessPolicy: ['mobileanalytics:PutEvents -> *'],
  OrganizationsListAccountsPolicy: ['organizations:ListAccounts -> *'],
  PinpointEndpointAccessPolicy: [
    'mobiletargeting:GetEndpoint UpdateEndpoint UpdateEndpointsBatch -> :apps/${PinpointApplicationId}/endpoints/*',
  ],
  PollyFullAccessPolicy: [
    'polly:GetLexicon DeleteLexicon -> :lexicon/${LexiconName}',
    'polly:DescribeVoices ListLexicons PutLexicon SynthesizeSpeech -> :lexicon/*',
  ],
  RekognitionDetectOnlyPolicy: [
    'rekognition:DetectFaces DetectLabels DetectModerationLabels DetectText -> *',
  ],
  RekognitionFacesManagementPolicy: [
    'rekognition:IndexFaces DeleteFaces SearchFaces SearchFacesByImage ListFaces -> :collection/${CollectionId}',
  ],
  RekognitionFacesPolicy: ['rekognition:CompareFaces DetectFaces -> *'],
  RekognitionLabelsPolicy: ['rekognition:DetectLabels DetectModerationLabels -> *'],
  RekognitionNoDataAccessPolicy: [
    'rekognition:CompareFaces DetectFaces DetectLabels DetectModerationLabels -> :collection/${CollectionId}',
  ],
  RekognitionReadPolicy: [
    'rekognition:ListCollections ListFaces SearchFaces SearchFacesByImage -> :collection/${CollectionId}',
  ],
  RekognitionWriteOnlyAccessPolicy: [
    'rekognition:CreateCollection IndexFaces -> :collection/${CollectionId}',
  ],
  Route53ChangeResourceRecordSetsPolicy: [
    'route53:ChangeResourceRecordSets -> ::hostedzone/${HostedZoneId}',
  ],
  S3CrudPolicy: [
    's3:GetObject ListBucket GetBucketLocation GetObjectVersion PutObject PutObjectAcl GetLifecycleConfiguration PutLifecycleConfiguration DeleteObject -> ::${BucketName} ::${BucketName}/*',
  ],
  S3FullAccessPolicy: [
    's3:GetObject GetObjectAcl GetObjectVersion PutObject PutObjectAcl DeleteObject DeleteObjectTagging DeleteObjectVersionTagging GetObjectTagging GetObjectVersionTagging PutObjectTagging PutObjectVersionTagging -> ::${BucketName}/*',
    's3:ListBucket GetBucketLocation GetLifecycleConfiguration PutLifecycleConfiguration -> ::${BucketName}',
  ],
  S3ReadPolicy: [
    's3:GetObject ListBucket GetBucketLocation GetObjectVersion GetLifecycleConfiguration -> ::${BucketName} ::${BucketName}/*',
  ],
  S3WritePolicy: [
    's3:PutObject PutObjectAcl PutLifecycleConfiguration -> ::${BucketName} ::${BucketName}/*',
  ],
  ServerlessRepoReadWriteAccessPolicy: [
    'serverlessrepo:CreateApplication CreateApplicationVersion UpdateApplication GetApplication ListApplications ListApplicationVersions ListApplicationDependencies -> :applications/*',
  ],
  SESBulkTemplatedCrudPolicy: [
    'ses:GetIdentityVerificationAttributes SendEmail SendRawEmail SendTemplatedEmail SendBulkTemplatedEmail VerifyEmailIdentity -> :identity/${IdentityName}',
  ],
  SESCrudPolicy: [
    'ses:GetIdentityVerificationAttributes SendEmail SendRawEmail VerifyEmailIdentity -> :identity/${IdentityName}',
  ],
  SESEmailTemplateCrudPolicy: [
    'ses:CreateTemplate GetTemplate ListTemplates UpdateTemplate DeleteTemplate TestRenderTemplate -> *',
  ],
  SESSendBouncePolicy: ['ses:SendBounce -> :identity/${IdentityName}'],
  SNSCrudPolicy: [
    'sns:ListSubscriptionsByTopic CreateTopic SetTopicAttributes Subscribe Publish -> :${TopicName}*',
  ],
  SNSPublishMessagePolicy: ['sns:Publish -> :${TopicName}'],
  SQSPollerPolicy: [
    'sqs:ChangeMessageVisibility ChangeMessageVisibilityBatch DeleteMessage DeleteMessageBatch GetQueueAttributes ReceiveMessage -> :${QueueName}',
  ],
  SQSSendMessagePolicy: ['sqs:SendMessage* -> :${QueueName}'],
  SSMParameterReadPolicy: [
    'ssm:DescribeParameters -> *',
    'ssm:GetParameters GetParameter GetParametersByPath -> :parameter/${ParameterName}',
  ],
  SSMParameterWithSlashPrefixReadPolicy: [
    'ssm:DescribeParameters -> *',
    'ssm:GetParameters GetParameter GetParametersByPath -> :parameter${ParameterName}',
  ],
  StepFunctionsExecutionPolicy: ['states:StartExecution -> :stateMachine:${StateMachineName}'],
  TextractDetectAnalyzePolicy: [
    'textract:DetectDocumentText StartDocumentTextDetection StartDocumentAnalysis AnalyzeDocument -> *',
  ],
  TextractGetResultPolicy: ['textract:GetDocumentTextDetection GetDocumentAnalysis -> *'],
  TextractPolicy: ['textract:* -> *'],
  VPCAccessPolicy: [
    'ec2:CreateNetworkInterface DeleteNetworkInterface DescribeNetworkInterfaces DetachNetworkInterface -> *',
  ],
};

/** The policy document that a template stands for. Those of a template that is not known are unknown. */
export function documentOfTemplate(name: string, parameters: Fields): Fields {
  const statements = own(templates, name) as readonly string[] | undefined;
  return {
    Statement: statements
      ? statements.map((statement) => statementOf(statement, parameters))
      : unknownPart(`the statements of the policy template ${name}`),
  };
}

function statementOf(statement: string, parameters: Fields): Fields {
  const [actions = '', resources = ''] = statement.split(' -> ');
  const service = actions.slice(0, actions.indexOf(':'));
  return {
    Effect: 'Allow',
    Action: actions.split(' ').map((one) => (one.includes(':') ? one : `${service}:${one}`)),
    Resource: resources.split(' ').map((one) => {
      if (one === '*') return one;
      if (one.startsWith('::')) {
        return sub(`arn:\${AWS::Partition}:${service}::${one.slice(1)}`, parameters);
      }
      const place = '${AWS::Region}:${AWS::AccountId}';
      const arn = one.startsWith(':') ? `arn:\${AWS::Partition}:${service}:${place}${one}` : one;
      return sub(arn, parameters);
    }),
  };
}
