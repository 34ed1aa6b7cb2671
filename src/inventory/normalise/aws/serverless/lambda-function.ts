import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, block, hasItems, isGiven, isUnknown, number, text, textMap } from '../../values.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';

export const lambdaFunction = normaliser({
  types: ['AWS::Lambda::Function', 'AWS::Serverless::Function'],
  attributes: {
    runtime: { type: 'string', meaning: 'such as `nodejs22.x`; none for container images' },
    environment_variables: {
      type: 'map<string,string>',
      meaning: "the function's variables",
      absent: {},
    },
    ...kmsKeyAttributes(' for the variables'),
    'vpc.enabled': { type: 'bool', meaning: 'runs in subnets of a VPC', absent: false },
    'dead_letter_queue.enabled': {
      type: 'bool',
      meaning: 'a queue or a topic takes the events that failed',
      absent: false,
    },
    reserved_concurrency: {
      type: 'int',
      meaning: 'how many may run at once; none: no limit of its own',
    },
  },
  from: {
    cloudformation: ({ properties }, related) =>
      read(related, {
        runtime: at(properties, 'Runtime'),
        variables: at(properties, 'Environment', 'Variables'),
        key: at(properties, 'KmsKeyArn'),
        subnets: at(properties, 'VpcConfig', 'SubnetIds'),
        // SAM's transform has a name of its own for it.
        deadLetters: at(properties, 'DeadLetterConfig') ?? at(properties, 'DeadLetterQueue'),
        concurrency: at(properties, 'ReservedConcurrentExecutions'),
      }),
    terraform: ({ properties }, related) =>
      read(related, {
        runtime: at(properties, 'runtime'),
        variables: at(block(properties, 'environment'), 'variables'),
        key: at(properties, 'kms_key_arn'),
        subnets: at(block(properties, 'vpc_config'), 'subnet_ids'),
        deadLetters: block(properties, 'dead_letter_config'),
        concurrency: at(properties, 'reserved_concurrent_executions'),
      }),
    'aws-config': ({ properties }, related) =>
      read(related, {
        runtime: at(properties, 'runtime'),
        variables: at(properties, 'environment', 'variables'),
        key: at(properties, 'kmskeyArn') ?? at(properties, 'kmsKeyArn'),
        subnets: at(properties, 'vpcConfig', 'subnetIds'),
        deadLetters: at(properties, 'deadLetterConfig'),
        concurrency: at(properties, 'reservedConcurrentExecutions'),
      }),
  },
});

function read(
  related: Related,
  given: Readonly<
    Record<'runtime' | 'variables' | 'key' | 'subnets' | 'deadLetters' | 'concurrency', unknown>
  >,
) {
  const concurrency = number(given.concurrency);
  return {
    runtime: given.runtime === '' ? undefined : text(given.runtime),
    environment_variables: textMap(given.variables),
    ...kmsKey(given.key, related),
    'vpc.enabled': hasItems(given.subnets),
    'dead_letter_queue.enabled': isGiven(
      at(given.deadLetters, 'TargetArn') ??
        at(given.deadLetters, 'target_arn') ??
        at(given.deadLetters, 'targetArn'),
    ),
    // Terraform writes -1 for "no limit".
    reserved_concurrency:
      isUnknown(concurrency) || (concurrency ?? -1) >= 0 ? concurrency : undefined,
  };
}
