import { normaliser } from '../normaliser.ts';
import { and, eitherWord, flag, isOneOf, isSet, mapList, or, text } from '../values.ts';
import { iamBindings, iamOf } from './iam.ts';
import { fromGoogle, isAsset, itemValue } from './read-google.ts';
import type { Get } from './read-google.ts';

export const pubsubTopic = normaliser({
  types: ['GCP::Pubsub::Topic'],
  source: 'Pub/Sub API v1 reference, topics, as of 2025-06',
  attributes: {
    'iam.bindings': { type: 'list<Binding>', meaning: "the topic's IAM policy", absent: [] },
    'encryption.customer_managed': {
      type: 'bool',
      meaning: 'a Cloud KMS key is set',
      absent: false,
    },
  },
  from: fromGoogle((get, raw, related) => ({
    'iam.bindings': iamBindings(raw, related, iamOf.topic),
    'encryption.customer_managed': isSet(get('kmsKeyName')),
  })),
});

export const redisInstance = normaliser({
  types: ['GCP::Redis::Instance'],
  source: 'Memorystore for Redis API v1 reference, instances, as of 2025-06',
  attributes: {
    'auth.enabled': { type: 'bool', meaning: 'AUTH is enabled', absent: false },
    'tls.required': {
      type: 'bool',
      meaning: 'the in-transit encryption mode is SERVER_AUTHENTICATION',
      absent: false,
    },
  },
  arguments: {
    authEnabled: 'auth_enabled',
    transitEncryptionMode: 'transit_encryption_mode',
  },
  from: fromGoogle((get) => ({
    'auth.enabled': flag(get('authEnabled')),
    'tls.required': isOneOf(get('transitEncryptionMode'), 'SERVER_AUTHENTICATION'),
  })),
});

export const sqlInstance = normaliser({
  types: ['GCP::Sqladmin::Instance'],
  source: 'Cloud SQL Admin API v1 reference, instances, as of 2025-06',
  attributes: {
    public_access: {
      type: 'bool',
      meaning: 'the instance has a public IPv4 address',
      absent: true,
    },
    'network.allowed_cidrs': { type: 'list<string>', meaning: 'authorized networks', absent: [] },
    'tls.required': {
      type: 'bool',
      meaning: 'sslMode requires TLS or, if sslMode is not set, requireSsl is true',
      absent: false,
    },
    'backup.enabled': { type: 'bool', meaning: 'automated backups are enabled', absent: false },
    'backup.point_in_time_recovery': {
      type: 'bool',
      meaning: 'point-in-time recovery (for MySQL, binary logging) is enabled',
      absent: false,
      source:
        'Cloud SQL, Configure point-in-time recovery, as of 2025-06: true in plans of the Enterprise Plus edition',
    },
    multi_az: { type: 'bool', meaning: 'the availability type is REGIONAL', absent: false },
    deletion_protection: { type: 'bool', meaning: 'deletionProtectionEnabled', absent: false },
    replica_of: { type: 'string', meaning: 'the primary instance of a read replica' },
  },
  arguments: {
    'settings.availabilityType': 'settings.availability_type',
    'settings.backupConfiguration.binaryLogEnabled':
      'settings.backup_configuration.binary_log_enabled',
    'settings.backupConfiguration.enabled': 'settings.backup_configuration.enabled',
    'settings.backupConfiguration.pointInTimeRecoveryEnabled':
      'settings.backup_configuration.point_in_time_recovery_enabled',
    'settings.deletionProtectionEnabled': 'settings.deletion_protection_enabled',
    'settings.ipConfiguration.authorizedNetworks': 'settings.ip_configuration.authorized_networks',
    'settings.ipConfiguration.sslMode': 'settings.ip_configuration.ssl_mode',
  },
  from: fromGoogle((get, raw, _related, given) => {
    const backups = flag(get('settings', 'backupConfiguration', 'enabled'));
    const primary = get('masterInstanceName');
    return {
      public_access: flag(get('settings', 'ipConfiguration', 'ipv4Enabled')),
      'network.allowed_cidrs': mapList(
        given('settings', 'ipConfiguration', 'authorizedNetworks'),
        (one) => itemValue(one, 'value'),
      ),
      'tls.required':
        refusesPlainText(get('settings', 'ipConfiguration', 'sslMode')) ??
        flag(get('settings', 'ipConfiguration', 'requireSsl')),
      'backup.enabled': backups,
      'backup.point_in_time_recovery': or(
        flag(get('settings', 'backupConfiguration', 'pointInTimeRecoveryEnabled')) ??
          (isAsset(raw) ? false : and(isEnterprisePlus(get), backups ?? true)),
        flag(get('settings', 'backupConfiguration', 'binaryLogEnabled')),
      ),
      multi_az: isOneOf(get('settings', 'availabilityType'), 'REGIONAL'),
      deletion_protection: flag(get('settings', 'deletionProtectionEnabled')),
      replica_of: primary === '' ? undefined : text(primary),
    };
  }),
});

/** The mode has priority over the older setting; without one, that setting decides. */
const refusesPlainText = (sslMode: unknown) =>
  isOneOf(sslMode, 'SSL_MODE_UNSPECIFIED') === true
    ? undefined
    : eitherWord(
        sslMode,
        ['ENCRYPTED_ONLY', 'TRUSTED_CLIENT_CERTIFICATE_REQUIRED'],
        ['ALLOW_UNENCRYPTED_AND_ENCRYPTED'],
      );

/** Of this edition, point-in-time recovery is on unless somebody turns it off. */
const isEnterprisePlus = (get: Get) => isOneOf(get('settings', 'edition'), 'ENTERPRISE_PLUS');
