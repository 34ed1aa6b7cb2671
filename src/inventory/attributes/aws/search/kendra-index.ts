import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at } from '../../values.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { planned } from '../plan-value.ts';

export const kendraIndex = normaliser({
  types: ['AWS::Kendra::Index'],
  source: 'Amazon Kendra API Reference, API version 2019-02-03',
  attributes: kmsKeyAttributes(),
  arguments: {
    'ServerSideEncryptionConfiguration.KmsKeyId': 'server_side_encryption_configuration.kms_key_id',
  },
  from: {
    cloudformation: (raw, related) => ofTemplate(raw, related),
    terraform: ({ properties }, related) =>
      kmsKey(planned(properties, 'server_side_encryption_configuration', 'kms_key_id'), related),
    'aws-config': (raw, related) => ofTemplate(raw, related),
  },
});

const ofTemplate = ({ properties }: RawResource, related: Related) =>
  // Kendra takes no other keys than the customer's.
  kmsKey(at(properties, 'ServerSideEncryptionConfiguration', 'KmsKeyId'), related, true);
