import { normaliser } from '../normaliser.ts';
import { flag, isOneOf, isSet, isUnknown, text } from '../values.ts';
import { iamBindings, iamOf } from './iam.ts';
import { days, fromGoogle } from './read-google.ts';

export const cryptoKey = normaliser({
  types: ['GCP::Cloudkms::CryptoKey'],
  source: 'Cloud KMS API v1 reference, cryptoKeys, as of 2025-06',
  attributes: {
    'iam.bindings': { type: 'list<Binding>', meaning: "the key's IAM policy", absent: [] },
    purpose: {
      type: 'string',
      meaning: 'purpose of the key, such as `ENCRYPT_DECRYPT` or `ASYMMETRIC_SIGN`',
      spelling: [
        'ENCRYPT_DECRYPT',
        'ASYMMETRIC_SIGN',
        'ASYMMETRIC_DECRYPT',
        'RAW_ENCRYPT_DECRYPT',
        'MAC',
        'KEY_ENCAPSULATION',
      ],
      absent: 'ENCRYPT_DECRYPT',
    },
    'rotation.enabled': { type: 'bool', meaning: 'a rotation period is set', absent: false },
    'rotation.interval_days': { type: 'double', meaning: 'rotationPeriod' },
  },
  arguments: {
    rotationPeriod: 'rotation_period',
  },
  from: fromGoogle((get, raw, related) => ({
    'iam.bindings': iamBindings(raw, related, iamOf.cryptoKey),
    purpose: text(get('purpose')),
    'rotation.enabled': isSet(get('rotationPeriod')),
    'rotation.interval_days': days(get('rotationPeriod')),
  })),
});

export const serviceAccountKey = normaliser({
  types: ['GCP::Iam::ServiceAccountKey'],
  source: 'IAM API v1 reference, serviceAccounts.keys, as of 2025-06',
  attributes: {
    key_manager: {
      type: 'string',
      spelling: ['USER', 'SYSTEM'],
      meaning: 'manager of the key: `USER` for user-managed keys, `SYSTEM` for Google-managed keys',
      absent: 'USER',
    },
    created_at: { type: 'timestamp', meaning: 'validAfterTime' },
    disabled: { type: 'bool', meaning: 'the key is disabled', absent: false },
  },
  from: fromGoogle((get) => {
    const type = get('keyType');
    return {
      key_manager: isUnknown(type) ? type : isOneOf(type, 'SYSTEM_MANAGED') ? 'SYSTEM' : 'USER',
      created_at: get('validAfterTime') ?? get('validAfter'),
      disabled: flag(get('disabled')),
    };
  }),
});
