import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { and, eitherWord, flag, isOneOf, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';

const fromApi = ({ properties }: RawResource) => ({
  'encryption.enabled': isEncrypted(
    field(properties, 'AtRestEncryptionEnabled'),
    field(properties, 'Engine'),
  ),
  'tls.required': isRequired(
    field(properties, 'TransitEncryptionEnabled'),
    field(properties, 'TransitEncryptionMode'),
  ),
  engine_version: text(field(properties, 'EngineVersion')),
});

/** Left out, it depends on the engine. */
const isEncrypted = (given: unknown, engine: unknown) => flag(given) ?? isOneOf(engine, 'valkey');

const isRequired = (enabled: unknown, mode: unknown) =>
  and(flag(enabled), eitherWord(mode, ['required'], ['preferred']) ?? true);

export const elasticacheReplicationGroup = normaliser({
  types: ['AWS::ElastiCache::ReplicationGroup'],
  source: 'Amazon ElastiCache API Reference, API version 2015-02-02',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'encryption at rest is on; the default with Valkey',
      absent: false,
    },
    'tls.required': {
      type: 'bool',
      meaning: 'encryption in transit is on, and its mode is not `preferred`',
      absent: false,
    },
    engine_version: { type: 'string', meaning: 'engine version, such as `7.1`' },
    'auth_token.source': secretSourceAttribute('the AUTH token'),
  },
  arguments: {
    AuthToken: 'auth_token',
    AtRestEncryptionEnabled: 'at_rest_encryption_enabled',
    TransitEncryptionEnabled: 'transit_encryption_enabled',
    TransitEncryptionMode: 'transit_encryption_mode',
  },
  from: {
    cloudformation: (raw) => ({
      ...fromApi(raw),
      'auth_token.source': secretSource(field(raw.properties, 'AuthToken')),
    }),
    'aws-config': fromApi,
    terraform: (raw) => ({
      'encryption.enabled': isEncrypted(
        planned(raw.properties, 'at_rest_encryption_enabled'),
        planned(raw.properties, 'engine'),
      ),
      'tls.required': isRequired(
        planned(raw.properties, 'transit_encryption_enabled'),
        planned(raw.properties, 'transit_encryption_mode'),
      ),
      engine_version: text(planned(raw.properties, 'engine_version')),
      'auth_token.source': plannedSecretSource(raw, 'auth_token'),
    }),
  },
});
