import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, flag, number, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { configuration, supplementary } from '../config-item.ts';
import { managerOfKey } from '../kms-key.ts';
import { readAllStatements, readStatements } from '../policy-document.ts';
import { allParts } from '../../related.ts';

export const kmsKeyType = normaliser({
  types: ['AWS::KMS::Key'],
  source: 'AWS KMS API Reference, API version 2014-11-01',
  attributes: {
    'policy.statements': { type: 'list<Statement>', meaning: 'the key policy', absent: [] },
    key_manager: {
      type: 'string',
      meaning: 'manager of the key: `CUSTOMER` or `AWS`; unknown if an AWS Config item omits it',
      spelling: ['CUSTOMER', 'AWS'],
      absent: 'CUSTOMER',
    },
    key_spec: {
      type: 'string',
      meaning: 'key spec, such as `SYMMETRIC_DEFAULT`, `RSA_2048` or `HMAC_256`',
      spelling: [
        'SYMMETRIC_DEFAULT',
        'RSA_2048',
        'RSA_3072',
        'RSA_4096',
        'ECC_NIST_P256',
        'ECC_NIST_P384',
        'ECC_NIST_P521',
        'ECC_NIST_EDWARDS25519',
        'ECC_SECG_P256K1',
        'HMAC_224',
        'HMAC_256',
        'HMAC_384',
        'HMAC_512',
        'ML_DSA_44',
        'ML_DSA_65',
        'ML_DSA_87',
        'SM2',
      ],
      absent: 'SYMMETRIC_DEFAULT',
    },
    key_origin: {
      type: 'string',
      meaning: '`AWS_KMS`, `EXTERNAL`, `AWS_CLOUDHSM` or `EXTERNAL_KEY_STORE`',
      spelling: ['AWS_KMS', 'EXTERNAL', 'AWS_CLOUDHSM', 'EXTERNAL_KEY_STORE'],
      absent: 'AWS_KMS',
    },
    'rotation.enabled': { type: 'bool', meaning: 'automatic rotation is on', absent: false },
    'rotation.interval_days': {
      type: 'int',
      meaning: 'days between rotations; 365 if not set',
    },
  },
  arguments: {
    EnableKeyRotation: 'enable_key_rotation',
  },
  from: {
    cloudformation: ({ properties }) => ({
      'policy.statements': readStatements(at(properties, 'KeyPolicy')),
      key_spec: text(at(properties, 'KeySpec')),
      key_origin: text(at(properties, 'Origin')),
      'rotation.enabled': flag(at(properties, 'EnableKeyRotation')),
      'rotation.interval_days': number(at(properties, 'RotationPeriodInDays')),
    }),
    terraform: (raw, related) => {
      const { properties } = raw;
      const external = /\baws_kms_external_key\b/.test(raw.address);
      return {
        'policy.statements': readAllStatements([
          planned(properties, 'policy'),
          ...allParts(related, raw, 'AWS::KMS::KeyPolicy', keyOfPlan).map(
            (one) => one.properties.policy,
          ),
        ]),
        key_spec: text(
          planned(properties, 'customer_master_key_spec') ?? planned(properties, 'key_spec'),
        ),
        key_origin: external
          ? 'EXTERNAL'
          : at(properties, 'custom_key_store_id') === undefined
            ? undefined
            : 'AWS_CLOUDHSM',
        'rotation.enabled': flag(at(properties, 'enable_key_rotation')),
        'rotation.interval_days': number(planned(properties, 'rotation_period_in_days')),
      };
    },
    'aws-config': (raw, related) => ({
      'policy.statements': readStatements(supplementary(raw, 'Policy')),
      key_manager: text(managerOfKey(raw, related)),
      key_spec: text(configuration(raw, 'keySpec') ?? configuration(raw, 'customerMasterKeySpec')),
      key_origin: text(configuration(raw, 'origin')),
      'rotation.enabled': flag(supplementary(raw, 'KeyRotationStatus')),
    }),
  },
});

const keyOfPlan = ({ properties }: RawResource): unknown => properties.key_id;
