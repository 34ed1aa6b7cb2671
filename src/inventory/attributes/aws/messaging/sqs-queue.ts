import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { allParts } from '../../related.ts';
import type { Related } from '../../related.ts';
import { at, flag, isSet, or } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { configuration, notRecorded } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { readAllStatements, readStatements } from '../policy-document.ts';

export const sqsQueue = normaliser({
  types: ['AWS::SQS::Queue'],
  source: 'Amazon SQS API Reference, API version 2012-11-05',
  attributes: {
    'policy.statements': { type: 'list<Statement>', meaning: 'the queue policy', absent: [] },
    'encryption.enabled': {
      type: 'bool',
      meaning: 'SQS-managed encryption (SSE-SQS), the default, or KMS encryption is on',
      absent: true,
      source:
        'Amazon SQS Developer Guide, Encryption at rest in Amazon SQS: SSE-SQS by default for new queues since 2022-10; in AWS Config, as the configuration item shows',
    },
    ...kmsKeyAttributes(),
  },
  arguments: {
    KmsMasterKeyId: 'kms_master_key_id',
    SqsManagedSseEnabled: 'sqs_managed_sse_enabled',
  },
  from: {
    cloudformation: (raw, related) => ({
      'policy.statements': readAllStatements(
        [],
        allParts(related, raw, 'AWS::SQS::QueuePolicy', queuesOfTemplate).map(
          ({ type, properties }) => ({ type, document: properties.PolicyDocument }),
        ),
      ),
      ...encryption(
        at(raw.properties, 'KmsMasterKeyId'),
        at(raw.properties, 'SqsManagedSseEnabled'),
        related,
      ),
    }),
    terraform: (raw, related) => ({
      'policy.statements': readAllStatements(
        [planned(raw.properties, 'policy')],
        allParts(related, raw, 'AWS::SQS::QueuePolicy', queueOfPlan).map(
          ({ type, properties }) => ({ type, document: properties.policy }),
        ),
      ),
      ...encryption(
        planned(raw.properties, 'kms_master_key_id'),
        planned(raw.properties, 'sqs_managed_sse_enabled'),
        related,
      ),
    }),
    'aws-config': (raw, related) => ({
      'policy.statements': readStatements(configuration(raw, 'Policy')),
      ...encryption(
        configuration(raw, 'KmsMasterKeyId'),
        configuration(raw, 'SqsManagedSseEnabled'),
        related,
      ),
    }),
  },
});

/** Queues from before October 2022 are as they were created. */
const older = notRecorded('whether the queue has SQS-managed encryption');

const encryption = (key: unknown, managed: unknown, related: Related) => {
  return {
    'encryption.enabled': or(isSet(key), flag(managed) ?? (related.isExport ? older : true)),
    ...kmsKey(key, related),
  };
};

const queuesOfTemplate = ({ properties }: RawResource): unknown => properties.Queues;
const queueOfPlan = ({ properties }: RawResource): unknown => properties.queue_url;
