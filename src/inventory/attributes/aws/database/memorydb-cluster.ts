import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { flag, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { kmsKey, kmsKeyAttributes, plannedKmsKey } from '../kms-key.ts';
import { planned } from '../plan-value.ts';

export const memorydbCluster = normaliser({
  types: ['AWS::MemoryDB::Cluster'],
  source: 'Amazon MemoryDB API Reference, API version 2021-01-01',
  attributes: {
    'tls.required': { type: 'bool', meaning: 'only TLS connections are accepted', absent: true },
    acl: {
      type: 'string',
      meaning: 'the access control list; `open-access` allows access without a password',
      spelling: 'lower',
    },
    ...kmsKeyAttributes(),
  },
  arguments: { ACLName: 'acl_name', TLSEnabled: 'tls_enabled' },
  from: {
    cloudformation: ofDocument,
    'aws-config': ofDocument,
    terraform: (raw, related) => ({
      'tls.required': flag(planned(raw.properties, 'tls_enabled')),
      acl: text(planned(raw.properties, 'acl_name')),
      ...plannedKmsKey(raw, related, 'kms_key_arn'),
    }),
  },
});

function ofDocument({ properties }: RawResource, related: Related) {
  return {
    'tls.required': flag(field(properties, 'TLSEnabled')),
    acl: text(field(properties, 'ACLName')),
    ...kmsKey(field(properties, 'KmsKeyId'), related),
  };
}
