import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, flag, mapList, text } from '../../values.ts';
import { field } from '../api-field.ts';

export const cloudWatchAlarm = normaliser({
  types: ['AWS::CloudWatch::Alarm'],
  source: 'Amazon CloudWatch API Reference, API version 2010-08-01',
  attributes: {
    'actions.enabled': { type: 'bool', meaning: 'alarm actions are enabled', absent: true },
    'actions.alarm': {
      type: 'list<string>',
      meaning: 'actions for the ALARM state: ARNs of SNS topics and other targets',
      absent: [],
    },
    'actions.ok': {
      type: 'list<string>',
      meaning: 'actions for the OK state: ARNs of SNS topics and other targets',
      absent: [],
    },
    'actions.insufficient_data': {
      type: 'list<string>',
      meaning: 'actions for the INSUFFICIENT_DATA state: ARNs of SNS topics and other targets',
      absent: [],
    },
  },
  arguments: {
    ActionsEnabled: 'actions_enabled',
    AlarmActions: 'alarm_actions',
  },
  from: {
    cloudformation: ofApi,
    terraform: ({ properties }) => ({
      'actions.enabled': flag(at(properties, 'actions_enabled')),
      'actions.alarm': mapList(at(properties, 'alarm_actions'), text),
      'actions.ok': mapList(at(properties, 'ok_actions'), text),
      'actions.insufficient_data': mapList(at(properties, 'insufficient_data_actions'), text),
    }),
    'aws-config': ofApi,
  },
});

function ofApi({ properties }: RawResource) {
  return {
    'actions.enabled': flag(field(properties, 'ActionsEnabled')),
    'actions.alarm': mapList(field(properties, 'AlarmActions'), text),
    'actions.ok': mapList(field(properties, 'OKActions'), text),
    'actions.insufficient_data': mapList(field(properties, 'InsufficientDataActions'), text),
  };
}
