import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, isSet } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { configuration, notRecorded, supplementary } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { readAllStatements, readStatements } from '../policy-document.ts';
import { allParts } from '../../related.ts';

export const snsTopic = normaliser({
  types: ['AWS::SNS::Topic'],
  source: 'Amazon SNS API Reference, API version 2010-03-31',
  attributes: {
    'policy.statements': { type: 'list<Statement>', meaning: 'the topic policy', absent: [] },
    'encryption.enabled': { type: 'bool', meaning: 'a KMS key is set', absent: false },
    ...kmsKeyAttributes(),
  },
  arguments: {
    KmsMasterKeyId: 'kms_master_key_id',
  },
  from: {
    cloudformation: (raw, related) => ({
      'policy.statements': readAllStatements(
        [],
        allParts(related, raw, 'AWS::SNS::TopicPolicy', topicsOfTemplate).map(
          ({ type, properties }) => ({ type, document: properties.PolicyDocument }),
        ),
      ),
      'encryption.enabled': isSet(at(raw.properties, 'KmsMasterKeyId')),
      ...kmsKey(at(raw.properties, 'KmsMasterKeyId'), related),
    }),
    terraform: (raw, related) => {
      const key = planned(raw.properties, 'kms_master_key_id');
      return {
        'policy.statements': readAllStatements(
          [planned(raw.properties, 'policy')],
          allParts(related, raw, 'AWS::SNS::TopicPolicy', topicOfPlan).map(
            ({ type, properties }) => ({ type, document: properties.policy }),
          ),
        ),
        'encryption.enabled': isSet(key),
        ...kmsKey(key, related),
      };
    },
    'aws-config': (raw, related) => {
      const key = configuration(raw, 'KmsMasterKeyId');
      return {
        'policy.statements': readStatements(
          configuration(raw, 'Policy') ??
            supplementary(raw, 'Policy') ??
            notRecorded('the topic policy'),
        ),
        'encryption.enabled': isSet(key),
        ...kmsKey(key, related),
      };
    },
  },
});

const topicsOfTemplate = ({ properties }: RawResource): unknown => properties.Topics;
const topicOfPlan = ({ properties }: RawResource): unknown => properties.arn;
