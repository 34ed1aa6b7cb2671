import { UnknownValue } from '../../../../contract/resources.ts';
import type { Related } from '../../related.ts';
import { flag, isOneOf, isUnknown, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

/** Whether an engine is Aurora's. Absent → false. */
export function isAurora(engine: unknown): boolean | UnknownValue {
  const word = text(engine);
  return isUnknown(word) ? word : /^aurora/i.test(word ?? '');
}

/** The document about `isEncryptedCluster`. */
export const clusterEncryption =
  'Amazon Aurora User Guide, Encrypting Amazon Aurora resources: on for new clusters since 2026-02-18, always on for serverless v1; Amazon RDS API Reference, API version 2014-10-31: off for other clusters, unless their snapshot or source is encrypted';

/** Whether a cluster of a template, an item or a plan is encrypted; undefined: it isn't. */
export function isEncryptedCluster(cluster: unknown, { isExport }: Related) {
  const given = (property: string, argument: string): unknown =>
    field(cluster, property) ?? planned(cluster, argument);
  // An item has the kind of encryption, too, where the key is AWS's own.
  const kind = text(field(cluster, 'StorageEncryptionType'));
  if (typeof kind === 'string') return kind !== 'none';
  const said = flag(given('StorageEncrypted', 'storage_encrypted'));
  if (said !== undefined) return said;
  if (isOneOf(given('EngineMode', 'engine_mode'), 'serverless') === true) return true;
  const source =
    given('SnapshotIdentifier', 'snapshot_identifier') ??
    given('SourceDBClusterIdentifier', 'replication_source_identifier') ??
    field(cluster, 'ReplicationSourceIdentifier') ??
    planned(cluster, 'restore_to_point_in_time', 'source_cluster_identifier');
  if (source !== undefined && source !== '') return asSource;
  return isExport ? undefined : isAurora(given('Engine', 'engine'));
}

/** Storage that is made of another is encrypted as that is. */
export const asSource = new UnknownValue(
  'whether the snapshot or source of the storage is encrypted',
  { present: false },
);
