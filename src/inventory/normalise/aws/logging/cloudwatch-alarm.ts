import { normaliser } from '../../normaliser.ts';
import { at, flag, mapList, text } from '../../values.ts';
import { configuration } from '../config-item.ts';

export const cloudWatchAlarm = normaliser({
  types: ['AWS::CloudWatch::Alarm'],
  attributes: {
    'actions.enabled': { type: 'bool', meaning: 'actions are carried out', absent: true },
    'actions.alarm': {
      type: 'list<string>',
      meaning: 'what is done when the alarm goes off: ARNs of topics and other targets',
      absent: [],
    },
    'actions.ok': { type: 'list<string>', meaning: '… when it is over', absent: [] },
    'actions.insufficient_data': {
      type: 'list<string>',
      meaning: '… when there is no data',
      absent: [],
    },
  },
  from: {
    cloudformation: ({ properties }) => ({
      'actions.enabled': flag(at(properties, 'ActionsEnabled')),
      'actions.alarm': mapList(at(properties, 'AlarmActions'), text),
      'actions.ok': mapList(at(properties, 'OKActions'), text),
      'actions.insufficient_data': mapList(at(properties, 'InsufficientDataActions'), text),
    }),
    terraform: ({ properties }) => ({
      'actions.enabled': flag(at(properties, 'actions_enabled')),
      'actions.alarm': mapList(at(properties, 'alarm_actions'), text),
      'actions.ok': mapList(at(properties, 'ok_actions'), text),
      'actions.insufficient_data': mapList(at(properties, 'insufficient_data_actions'), text),
    }),
    'aws-config': (raw) => ({
      'actions.enabled': flag(configuration(raw, 'actionsEnabled')),
      'actions.alarm': mapList(configuration(raw, 'alarmActions'), text),
      'actions.ok': mapList(
        configuration(raw, 'oKActions') ?? configuration(raw, 'okactions'),
        text,
      ),
      'actions.insufficient_data': mapList(configuration(raw, 'insufficientDataActions'), text),
    }),
  },
});
