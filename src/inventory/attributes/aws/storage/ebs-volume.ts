import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { hasItems, number, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { encryptedByDefault, isEncrypted } from '../ebs-encryption.ts';
import { kmsKey, kmsKeyAttributes, plannedKmsKey } from '../kms-key.ts';
import { planned } from '../plan-value.ts';

export const ebsVolume = normaliser({
  types: ['AWS::EC2::Volume'],
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the volume is encrypted; by default, the same as its snapshot',
      absent: false,
      source: encryptedByDefault,
    },
    ...kmsKeyAttributes(),
    volume_type: {
      type: 'string',
      meaning: '`gp2`, `gp3`, `io1`, `io2`, `st1`, `sc1` or `standard`',
      spelling: ['gp2', 'gp3', 'io1', 'io2', 'st1', 'sc1', 'standard'],
      absent: 'gp2',
    },
    size_gb: { type: 'int', meaning: 'size of the volume in GiB; missing if a snapshot sets it' },
    attached: {
      type: 'bool',
      meaning:
        'the volume is attached to an instance; in templates and plans, through an attachment in the same input',
      absent: false,
    },
  },
  arguments: {
    Encrypted: 'encrypted',
    KmsKeyId: 'kms_key_id',
    VolumeType: 'type',
  },
  from: {
    cloudformation: (raw, related) => ({
      ...ofApi(raw, related),
      attached: related.referring(raw, 'AWS::EC2::VolumeAttachment', volumeOfTemplate).length > 0,
    }),
    terraform: (raw, related) => ({
      'encryption.enabled': isEncrypted(
        planned(raw.properties, 'encrypted'),
        planned(raw.properties, 'snapshot_id'),
        raw,
        related,
      ),
      ...plannedKmsKey(raw, related, 'kms_key_id'),
      volume_type: text(planned(raw.properties, 'type')),
      size_gb: number(planned(raw.properties, 'size')),
      attached: related.referring(raw, 'AWS::EC2::VolumeAttachment', volumeOfPlan).length > 0,
    }),
    'aws-config': (raw, related) => ({
      ...ofApi(raw, related),
      attached: hasItems(field(raw.properties, 'attachments')),
    }),
  },
});

const ofApi = (raw: RawResource, related: Related) => ({
  'encryption.enabled': isEncrypted(
    field(raw.properties, 'Encrypted'),
    field(raw.properties, 'SnapshotId'),
    raw,
    related,
  ),
  ...kmsKey(field(raw.properties, 'KmsKeyId'), related),
  volume_type: text(field(raw.properties, 'VolumeType')),
  size_gb: number(field(raw.properties, 'Size')),
});

const volumeOfTemplate = ({ properties }: RawResource): unknown => properties.VolumeId;
const volumeOfPlan = ({ properties }: RawResource): unknown => properties.volume_id;
