import { normaliser } from '../../normaliser.ts';
import type { RawResource } from '../../../model.ts';
import { at, configured, flag, hasItems, number, text } from '../../values.ts';
import { configuration } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';

export const ebsVolume = normaliser({
  types: ['AWS::EC2::Volume'],
  attributes: {
    'encryption.enabled': { type: 'bool', meaning: 'the volume is encrypted', absent: false },
    ...kmsKeyAttributes(),
    volume_type: {
      type: 'string',
      meaning: '`gp2`, `gp3`, `io1`, `io2`, `st1`, `sc1` or `standard`',
      absent: 'gp2',
    },
    size_gb: { type: 'int', meaning: 'size in GiB; none where it is that of a snapshot' },
    attached: {
      type: 'bool',
      meaning: 'an instance has it; templates and plans say so by an attachment in the same input',
      absent: false,
    },
  },
  from: {
    cloudformation: (raw, related) => ({
      'encryption.enabled': flag(at(raw.properties, 'Encrypted')),
      ...kmsKey(at(raw.properties, 'KmsKeyId'), related),
      volume_type: text(at(raw.properties, 'VolumeType')),
      size_gb: number(at(raw.properties, 'Size')),
      attached: related.referring(raw, 'AWS::EC2::VolumeAttachment', volumeOfTemplate).length > 0,
    }),
    terraform: (raw, related) => ({
      'encryption.enabled': flag(configured(at(raw.properties, 'encrypted'))),
      ...kmsKey(configured(at(raw.properties, 'kms_key_id')), related),
      volume_type: text(configured(at(raw.properties, 'type'))),
      size_gb: number(configured(at(raw.properties, 'size'))),
      attached: related.referring(raw, 'AWS::EC2::VolumeAttachment', volumeOfPlan).length > 0,
    }),
    'aws-config': (raw, related) => ({
      'encryption.enabled': flag(configuration(raw, 'encrypted')),
      ...kmsKey(configuration(raw, 'kmsKeyId'), related),
      volume_type: text(configuration(raw, 'volumeType')),
      size_gb: number(configuration(raw, 'size')),
      attached: hasItems(configuration(raw, 'attachments')),
    }),
  },
});

const volumeOfTemplate = ({ properties }: RawResource): unknown => properties.VolumeId;
const volumeOfPlan = ({ properties }: RawResource): unknown => properties.volume_id;
