import { normaliser } from '../../normaliser.ts';
import { at, number } from '../../values.ts';
import { configuration } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';

export const logGroup = normaliser({
  types: ['AWS::Logs::LogGroup'],
  attributes: {
    retention_days: { type: 'int', meaning: 'none: kept forever' },
    ...kmsKeyAttributes(),
  },
  from: {
    cloudformation: ({ properties }, related) => ({
      retention_days: number(at(properties, 'RetentionInDays')),
      ...kmsKey(at(properties, 'KmsKeyId'), related),
    }),
    terraform: ({ properties }, related) => ({
      // 0 is Terraform's way to say forever.
      retention_days: number(at(properties, 'retention_in_days')) || undefined,
      ...kmsKey(at(properties, 'kms_key_id'), related),
    }),
    'aws-config': (raw, related) => ({
      retention_days: number(configuration(raw, 'RetentionInDays')),
      ...kmsKey(configuration(raw, 'KmsKeyId'), related),
    }),
  },
});
