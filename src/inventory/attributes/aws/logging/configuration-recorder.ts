import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, block, flag, list } from '../../values.ts';
import { field } from '../api-field.ts';

export const configurationRecorder = normaliser({
  types: ['AWS::Config::ConfigurationRecorder'],
  source: 'AWS Config API Reference, API version 2014-11-12',
  attributes: {
    'recording.all_supported': {
      type: 'bool',
      meaning: 'the recorder records all supported resource types',
      absent: false,
    },
    'recording.excluded_types': {
      type: 'list<string>',
      meaning: 'resource types that an exclusion strategy excludes',
      absent: [],
    },
    'recording.include_global_types': {
      type: 'bool',
      meaning: 'the recorder records IAM resource types in this region',
      absent: false,
    },
  },
  arguments: {
    'RecordingGroup.AllSupported': 'recording_group.all_supported',
    'RecordingGroup.ExclusionByResourceTypes': 'recording_group.exclusion_by_resource_types',
  },
  from: {
    cloudformation: ofApi,
    terraform: ({ properties }) => {
      const group = block(properties, 'recording_group');
      return {
        'recording.all_supported': flag(at(group, 'all_supported')) ?? true,
        'recording.excluded_types': list(
          at(block(group, 'exclusion_by_resource_types'), 'resource_types'),
        ),
        'recording.include_global_types': flag(at(group, 'include_global_resource_types')),
      };
    },
    'aws-config': ofApi,
  },
});

function ofApi({ properties }: RawResource) {
  // Without a group, a recorder records all that is supported.
  const group = field(properties, 'RecordingGroup');
  return {
    'recording.all_supported': group === undefined || flag(field(group, 'AllSupported')),
    'recording.excluded_types': list(field(group, 'ExclusionByResourceTypes', 'ResourceTypes')),
    'recording.include_global_types': flag(field(group, 'IncludeGlobalResourceTypes')),
  };
}
