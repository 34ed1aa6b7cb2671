import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, block, flag, isGiven, number, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { configuration, notRecorded } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { readAllStatements, requiredDocument } from '../policy-document.ts';
import { allParts } from '../../related.ts';

export const secret = normaliser({
  types: ['AWS::SecretsManager::Secret'],
  source: 'AWS Secrets Manager API Reference, API version 2017-10-17',
  attributes: {
    'rotation.enabled': { type: 'bool', meaning: 'a rotation schedule is set', absent: false },
    'rotation.interval_days': {
      type: 'int',
      meaning: 'days between rotations; missing if the schedule is a cron expression',
    },
    ...kmsKeyAttributes(),
    'policy.statements': {
      type: 'list<Statement>',
      meaning: 'the resource policy of the secret',
      absent: [],
    },
  },
  arguments: {
    KmsKeyId: 'kms_key_id',
    BlockPublicPolicy: 'block_public_policy of aws_secretsmanager_secret_policy',
    RotationRules: 'rotation_rules of aws_secretsmanager_secret_rotation',
    RotationSchedule: 'aws_secretsmanager_secret_rotation',
  },
  from: {
    cloudformation: (raw, related) => {
      const [schedule] = related.referring(
        raw,
        'AWS::SecretsManager::RotationSchedule',
        secretOfTemplate,
      );
      const rules = at(schedule?.properties, 'RotationRules');
      return {
        'rotation.enabled': schedule !== undefined,
        'rotation.interval_days': interval(
          at(rules, 'AutomaticallyAfterDays'),
          at(rules, 'ScheduleExpression'),
        ),
        ...kmsKey(at(raw.properties, 'KmsKeyId'), related),
        'policy.statements': readAllStatements(
          allParts(related, raw, 'AWS::SecretsManager::ResourcePolicy', secretOfTemplate).map(
            ({ properties }) => requiredDocument(properties.ResourcePolicy),
          ),
        ),
      };
    },
    terraform: (raw, related) => {
      const [schedule] = related.referring(
        raw,
        'AWS::SecretsManager::RotationSchedule',
        secretOfPlan,
      );
      const rules = block(schedule?.properties ?? raw.properties, 'rotation_rules');
      return {
        'rotation.enabled': schedule
          ? true
          : isGiven(planned(raw.properties, 'rotation_lambda_arn') || undefined),
        'rotation.interval_days': interval(
          at(rules, 'automatically_after_days'),
          at(rules, 'schedule_expression'),
        ),
        ...kmsKey(at(raw.properties, 'kms_key_id'), related),
        'policy.statements': readAllStatements(
          allParts(related, raw, 'AWS::SecretsManager::ResourcePolicy', secretOfPlan)
            .map(({ properties }) => requiredDocument(properties.policy))
            .concat(planned(raw.properties, 'policy') ?? []),
        ),
      };
    },
    'aws-config': (raw, related) => ({
      'rotation.enabled': flag(configuration(raw, 'RotationEnabled')),
      'rotation.interval_days': interval(
        configuration(raw, 'RotationRules', 'AutomaticallyAfterDays'),
        configuration(raw, 'RotationRules', 'RotationScheduleExpression') ??
          configuration(raw, 'RotationRules', 'ScheduleExpression'),
      ),
      'policy.statements': notRecorded('the resource policy of the secret'),
      // Secrets Manager does not show the key that AWS manages.
      ...kmsKey(configuration(raw, 'KmsKeyId') ?? configuration(raw, 'KMSKeyId'), related, true),
    }),
  },
});

const secretOfTemplate = ({ properties }: RawResource): unknown => properties.SecretId;
const secretOfPlan = ({ properties }: RawResource): unknown =>
  properties.secret_id ?? properties.secret_arn;

/** A number of days, or a schedule of the form `rate(30 days)`; a `cron(…)` has no one interval. */
function interval(days: unknown, schedule: unknown): unknown {
  const given = number(days);
  if (given !== undefined) return given;
  const words = text(schedule);
  if (typeof words !== 'string') return words;
  const [, count, unit] = /^rate\((\d+) (hour|day)s?\)$/.exec(words) ?? [];
  if (count === undefined) return undefined;
  return unit === 'hour' ? Math.ceil(Number(count) / 24) : Number(count);
}
