import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { hasItems, isGiven, isUnknown, number, textMap } from '../../values.ts';
import { field } from '../api-field.ts';
import { supplementary } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { planned } from '../plan-value.ts';
import { runtimeOf } from './runtimes.ts';

export const lambdaFunction = normaliser({
  types: ['AWS::Lambda::Function'],
  source: 'AWS Lambda API Reference, API version 2015-03-31',
  attributes: {
    runtime: {
      type: 'string',
      meaning: 'runtime of the function, such as `nodejs22.x`; missing for container images',
      spelling: 'lower',
    },
    environment_variables: {
      type: 'map<string,string>',
      meaning: 'environment variables of the function',
      absent: {},
    },
    ...kmsKeyAttributes(' for the environment variables'),
    'vpc.enabled': {
      type: 'bool',
      meaning: 'the function runs in subnets of a VPC',
      absent: false,
    },
    'dead_letter_queue.enabled': {
      type: 'bool',
      meaning: 'failed events are sent to a queue or a topic',
      absent: false,
    },
    reserved_concurrency: {
      type: 'int',
      meaning: 'reserved concurrency; if not set, the function has no limit',
    },
  },
  arguments: {
    'DeadLetterConfig.TargetArn': 'dead_letter_config.target_arn',
    ReservedConcurrentExecutions: 'reserved_concurrent_executions',
    Runtime: 'runtime',
    VpcConfig: 'vpc_config',
  },
  from: {
    cloudformation: (raw, related) => ofDocument(raw, related),
    terraform: ({ properties }, related) =>
      read(related, {
        runtime: planned(properties, 'runtime'),
        variables: planned(properties, 'environment', 'variables'),
        key: planned(properties, 'kms_key_arn'),
        subnets: planned(properties, 'vpc_config', 'subnet_ids'),
        deadLetterTarget: planned(properties, 'dead_letter_config', 'target_arn'),
        concurrency: planned(properties, 'reserved_concurrent_executions'),
      }),
    'aws-config': (raw, related) =>
      ofDocument(raw, related, supplementary(raw, 'Concurrency', 'reservedConcurrentExecutions')),
  },
});

const ofDocument = (
  { properties }: RawResource,
  related: Related,
  concurrency = field(properties, 'ReservedConcurrentExecutions'),
) =>
  read(related, {
    runtime: field(properties, 'Runtime'),
    variables: field(properties, 'Environment', 'Variables'),
    key: field(properties, 'KmsKeyArn'),
    subnets: field(properties, 'VpcConfig', 'SubnetIds'),
    deadLetterTarget: field(properties, 'DeadLetterConfig', 'TargetArn'),
    concurrency,
  });

function read(
  related: Related,
  given: Readonly<
    Record<
      'runtime' | 'variables' | 'key' | 'subnets' | 'deadLetterTarget' | 'concurrency',
      unknown
    >
  >,
) {
  const concurrency = number(given.concurrency);
  return {
    runtime: runtimeOf(given.runtime),
    environment_variables: textMap(given.variables),
    // Lambda does not show the key that AWS manages.
    ...kmsKey(given.key, related, true),
    'vpc.enabled': hasItems(given.subnets),
    'dead_letter_queue.enabled': isGiven(given.deadLetterTarget),
    // Terraform writes -1 for "no limit".
    reserved_concurrency:
      isUnknown(concurrency) || (concurrency ?? -1) >= 0 ? concurrency : undefined,
  };
}
