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

const kinds: readonly Normaliser[] = [
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

/** An export may have the IAM policy of an asset of any kind beside it. */
function withAssetPolicy(kind: Normaliser): Normaliser {
  const own = kind.from['gcp-assets'];
  const policy = assetPolicy.from['gcp-assets'];
  if (!own || !policy || Object.hasOwn(kind.attributes, 'iam.bindings')) return kind;
  return {
    ...kind,
    attributes: { ...kind.attributes, ...assetPolicy.attributes },
    from: { ...kind.from, 'gcp-assets': (...given) => ({ ...policy(...given), ...own(...given) }) },
  };
}

export const gcp: readonly Normaliser[] = kinds.map(withAssetPolicy);
