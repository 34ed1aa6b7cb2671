import type { Normaliser } from '../normaliser.ts';
import { bigqueryDataset, datasetAccess } from './bigquery-dataset.ts';
import { computeFirewall } from './compute-firewall.ts';
import { computeInstance, instanceTemplate } from './compute-instance.ts';
import { computeNetwork, computeSslPolicy, computeSubnetwork } from './compute-network.ts';
import { containerCluster, containerNodePool } from './container.ts';
import { pubsubTopic, redisInstance, sqlInstance } from './data.ts';
import { cryptoKey, serviceAccountKey } from './keys.ts';
import { aclPart } from './bucket-acl.ts';
import { assetPolicy, auditPart, iamPart } from './iam.ts';
import { dnsZone, logBucket } from './operations.ts';
import { project } from './project.ts';
import { cloudFunction, firstCloudFunction, runJob, runService } from './serverless.ts';
import { servicePerimeter } from './service-perimeter.ts';
import { storageBucket } from './storage-bucket.ts';

export const gcp: readonly Normaliser[] = [
  bigqueryDataset,
  cloudFunction,
  firstCloudFunction,
  cryptoKey,
  project,
  computeFirewall,
  computeInstance,
  instanceTemplate,
  computeNetwork,
  computeSslPolicy,
  computeSubnetwork,
  containerCluster,
  containerNodePool,
  dnsZone,
  aclPart,
  datasetAccess,
  iamPart,
  auditPart,
  assetPolicy,
  serviceAccountKey,
  logBucket,
  pubsubTopic,
  redisInstance,
  runJob,
  runService,
  servicePerimeter,
  sqlInstance,
  storageBucket,
];
