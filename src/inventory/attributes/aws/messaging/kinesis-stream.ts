import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { and, at, isSet, isOneOf, number } from '../../values.ts';
import { field } from '../api-field.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';

export const kinesisStream = normaliser({
  types: ['AWS::Kinesis::Stream'],
  source: 'Amazon Kinesis Data Streams API Reference, API version 2013-12-02',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'server-side encryption with a KMS key is on',
      absent: false,
    },
    ...kmsKeyAttributes(),
    retention_hours: { type: 'int', meaning: 'retention period of records, in hours', absent: 24 },
  },
  arguments: {
    'StreamEncryption.EncryptionType': 'encryption_type',
    'StreamEncryption.KeyId': 'kms_key_id',
  },
  from: {
    cloudformation: ofApi,
    terraform: ({ properties }, related) => ({
      ...encryption(at(properties, 'encryption_type'), at(properties, 'kms_key_id'), related),
      retention_hours: number(at(properties, 'retention_period')),
    }),
    'aws-config': ofApi,
  },
});

function ofApi({ properties }: RawResource, related: Related) {
  const given = field(properties, 'StreamEncryption');
  return {
    ...encryption(field(given, 'EncryptionType'), field(given, 'KeyId'), related),
    retention_hours: number(field(properties, 'RetentionPeriodHours')),
  };
}

const encryption = (type: unknown, key: unknown, related: Related) => ({
  'encryption.enabled': and(isOneOf(type, 'KMS'), isSet(key)),
  ...kmsKey(key, related),
});
