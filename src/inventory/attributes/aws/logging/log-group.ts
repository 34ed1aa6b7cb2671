import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, number } from '../../values.ts';
import { field } from '../api-field.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';

export const logGroup = normaliser({
  types: ['AWS::Logs::LogGroup'],
  source: 'Amazon CloudWatch Logs API Reference, API version 2014-03-28',
  attributes: {
    retention_days: {
      type: 'int',
      meaning: 'retention period in days; if not set, logs are kept indefinitely',
    },
    ...kmsKeyAttributes(),
  },
  arguments: {
    KmsKeyId: 'kms_key_id',
    RetentionInDays: 'retention_in_days',
  },
  from: {
    cloudformation: ofApi,
    terraform: ({ properties }, related) => ({
      // 0 is Terraform's way to say forever.
      retention_days: number(at(properties, 'retention_in_days')) || undefined,
      ...kmsKey(at(properties, 'kms_key_id'), related),
    }),
    'aws-config': ofApi,
  },
});

function ofApi({ properties }: RawResource, related: Related) {
  return {
    retention_days: number(field(properties, 'RetentionInDays')),
    // CloudWatch Logs takes no other keys than the customer's.
    ...kmsKey(field(properties, 'KmsKeyId'), related, true),
  };
}
