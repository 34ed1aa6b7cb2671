import { normaliser } from '../../normaliser.ts';
import { and, at, flag, isGiven, isOneOf, mapList, not, or, some } from '../../values.ts';
import { configuration, notRecorded } from '../config-item.ts';
import { asWritten } from '../policy-document.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';

export const cloudTrailTrail = normaliser({
  types: ['AWS::CloudTrail::Trail'],
  source: 'AWS CloudTrail API Reference, API version 2013-11-01',
  attributes: {
    'logging.enabled': {
      type: 'bool',
      meaning: 'the trail is logging (IsLogging)',
      absent: false,
    },
    multi_region: {
      type: 'bool',
      meaning: 'the trail records events in all regions',
      absent: false,
    },
    include_global_service_events: {
      type: 'bool',
      meaning: 'the trail records global service events, such as those of IAM, STS and CloudFront',
      absent: true,
    },
    log_file_validation: {
      type: 'bool',
      meaning: 'log file validation is on, so digest files are written',
      absent: false,
    },
    'cloudwatch_logs.enabled': {
      type: 'bool',
      meaning: 'events are also sent to a CloudWatch log group',
      absent: false,
    },
    'data_events.s3': {
      type: 'bool',
      meaning: 'the trail records data events (reads or writes) for objects in all buckets',
      absent: false,
    },
    ...kmsKeyAttributes(),
  },
  arguments: {
    CloudWatchLogsLogGroupArn: 'cloud_watch_logs_group_arn',
    CloudWatchLogsRoleArn: 'cloud_watch_logs_role_arn',
    EnableLogFileValidation: 'enable_log_file_validation',
    EventSelectors: 'event_selector',
    IncludeGlobalServiceEvents: 'include_global_service_events',
    IsLogging: 'enable_logging',
    IsMultiRegionTrail: 'is_multi_region_trail',
    KMSKeyId: 'kms_key_id',
  },
  from: {
    cloudformation: ({ properties }, related) => ({
      'logging.enabled': flag(at(properties, 'IsLogging')),
      multi_region: flag(at(properties, 'IsMultiRegionTrail')),
      include_global_service_events: flag(at(properties, 'IncludeGlobalServiceEvents')),
      log_file_validation: flag(at(properties, 'EnableLogFileValidation')),
      'cloudwatch_logs.enabled': isFilled(at(properties, 'CloudWatchLogsLogGroupArn')),
      'data_events.s3': or(
        some(at(properties, 'EventSelectors'), (selector) =>
          some(at(selector, 'DataResources'), (data) =>
            coversAllBuckets(at(data, 'Type'), at(data, 'Values')),
          ),
        ),
        some(at(properties, 'AdvancedEventSelectors'), (selector) =>
          selectsAllObjects(at(selector, 'FieldSelectors'), 'Field', 'Equals'),
        ),
      ),
      ...kmsKey(at(properties, 'KMSKeyId'), related),
    }),
    terraform: ({ properties }, related) => ({
      'logging.enabled': flag(at(properties, 'enable_logging')) ?? true,
      multi_region: flag(at(properties, 'is_multi_region_trail')),
      include_global_service_events: flag(at(properties, 'include_global_service_events')),
      log_file_validation: flag(at(properties, 'enable_log_file_validation')),
      'cloudwatch_logs.enabled': isFilled(at(properties, 'cloud_watch_logs_group_arn')),
      'data_events.s3': or(
        some(at(properties, 'event_selector'), (selector) =>
          some(at(selector, 'data_resource'), (data) =>
            coversAllBuckets(at(data, 'type'), at(data, 'values')),
          ),
        ),
        some(at(properties, 'advanced_event_selector'), (selector) =>
          selectsAllObjects(at(selector, 'field_selector'), 'field', 'equals'),
        ),
      ),
      ...kmsKey(at(properties, 'kms_key_id'), related),
    }),
    'aws-config': (raw, related) => ({
      'logging.enabled': notRecorded('whether the trail is logging'),
      multi_region: flag(configuration(raw, 'isMultiRegionTrail')),
      include_global_service_events: flag(configuration(raw, 'includeGlobalServiceEvents')),
      log_file_validation: flag(configuration(raw, 'logFileValidationEnabled')),
      'cloudwatch_logs.enabled': isFilled(configuration(raw, 'cloudWatchLogsLogGroupArn')),
      'data_events.s3':
        flag(configuration(raw, 'hasCustomEventSelectors')) === true
          ? notRecorded('which data events the trail records')
          : false,
      // CloudTrail takes no other keys than the customer's.
      ...kmsKey(configuration(raw, 'kmsKeyId'), related, true),
    }),
  },
});

const isFilled = (value: unknown) => and(isGiven(value), value !== '');

/** `arn:aws:s3` and `arn:aws:s3:::` stand for the objects of all buckets, in any partition. */
const coversAllBuckets = (type: unknown, values: unknown) =>
  and(
    isOneOf(type, 'AWS::S3::Object'),
    some(
      mapList(values, asWritten),
      (value) =>
        typeof value === 'string' &&
        /^arn:[^:]+:s3(:::)?$/.test(value.replace(/\$\{[^}]*\}/g, '_')),
    ),
  );

/** Advanced selectors name fields: all objects where the type is S3's and no ARN narrows it down. */
const selectsAllObjects = (fields: unknown, name: string, equals: string) =>
  and(
    some(fields, (field) =>
      and(
        isOneOf(at(field, name), 'resources.type'),
        some(at(field, equals), (value) => isOneOf(value, 'AWS::S3::Object')),
      ),
    ),
    not(some(fields, (field) => isOneOf(at(field, name), 'resources.ARN'))),
  );
