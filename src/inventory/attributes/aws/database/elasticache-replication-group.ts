import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { and, flag, isOneOf, not, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const fromApi = ({ properties }: RawResource) => ({
  'encryption.enabled': flag(field(properties, 'AtRestEncryptionEnabled')),
  'tls.required': isRequired(
    field(properties, 'TransitEncryptionEnabled'),
    field(properties, 'TransitEncryptionMode'),
  ),
  engine_version: text(field(properties, 'EngineVersion')),
});

const isRequired = (enabled: unknown, mode: unknown) =>
  and(flag(enabled), not(isOneOf(mode, 'preferred')));

export const elasticacheReplicationGroup = normaliser({
  types: ['AWS::ElastiCache::ReplicationGroup'],
  attributes: {
    'encryption.enabled': { type: 'bool', meaning: 'at-rest encryption', absent: false },
    'tls.required': {
      type: 'bool',
      meaning: 'transit encryption is on and not in mode `preferred`',
      absent: false,
    },
    engine_version: { type: 'string', meaning: 'such as `7.1`' },
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: ({ properties }) => ({
      'encryption.enabled': flag(planned(properties, 'at_rest_encryption_enabled')),
      'tls.required': isRequired(
        planned(properties, 'transit_encryption_enabled'),
        planned(properties, 'transit_encryption_mode'),
      ),
      engine_version: text(planned(properties, 'engine_version')),
    }),
  },
});
