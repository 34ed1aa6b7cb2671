import type { Normaliser } from '../normaliser.ts';
import { amazonmqBroker } from './messaging/amazonmq-broker.ts';
import { firehoseDeliveryStream } from './messaging/firehose-delivery-stream.ts';
import { iotPolicy } from './messaging/iot-policy.ts';
import { kinesisStream } from './messaging/kinesis-stream.ts';
import { snsTopic } from './messaging/sns-topic.ts';
import { sqsQueue } from './messaging/sqs-queue.ts';
import { resourcePolicy } from './resource-policy.ts';

export const messaging: readonly Normaliser[] = [
  amazonmqBroker,
  iotPolicy,
  snsTopic,
  resourcePolicy('AWS::SNS::TopicPolicy', 'the policy of the topics'),
  sqsQueue,
  resourcePolicy('AWS::SQS::QueuePolicy', 'the policy of the queues'),
  kinesisStream,
  firehoseDeliveryStream,
];
