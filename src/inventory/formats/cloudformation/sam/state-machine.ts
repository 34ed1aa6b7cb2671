import { own } from '../resolver.ts';
import { eventsOf, partsOfMachineEvent } from './events.ts';
import { managedPolicy, roleOf } from './role.ts';
import type { Expansion } from './expansion.ts';
import type { Declared } from './written.ts';
import { base, fieldOf, locationOf, tagPairs, without } from './written.ts';

export function expandStateMachine(declared: Declared): Expansion {
  const { properties } = declared;
  const ofSam = [
    'AutoPublishAlias',
    'Definition',
    'DefinitionUri',
    'DeploymentPreference',
    'Events',
    'Logging',
    'Name',
    'PermissionsBoundary',
    'Policies',
    'PropagateTags',
    'Role',
    'RolePath',
    'Tags',
    'Tracing',
    'Type',
    'UseAliasAsEventTarget',
  ];
  const traced = declared.resolve(fieldOf(own(properties, 'Tracing'), 'Enabled'));
  const { role, made } = roleOf(declared, {
    service: 'states.amazonaws.com',
    managed:
      traced === undefined || traced === false ? [] : [managedPolicy('AWSXrayWriteOnlyAccess')],
    inline: [],
    createdBy: 'stateMachine:createdBy',
  });
  const events = eventsOf(declared);
  const parts = events.map((event) => partsOfMachineEvent(declared, event));
  return {
    made: [
      base(declared, {
        ...without(properties, ...ofSam),
        StateMachineName: own(properties, 'Name'),
        StateMachineType: own(properties, 'Type'),
        Definition: own(properties, 'Definition'),
        DefinitionS3Location: locationOf(own(properties, 'DefinitionUri'), {
          bucket: 'Bucket',
          key: 'Key',
          version: 'Version',
        }),
        LoggingConfiguration: own(properties, 'Logging'),
        TracingConfiguration: own(properties, 'Tracing'),
        RoleArn: role,
        Tags: tagPairs(own(properties, 'Tags'), 'stateMachine:createdBy'),
      }),
      ...made,
      ...parts.flatMap((one) => one ?? []),
    ],
    unknownEvents: events.filter((_, at) => parts[at] === undefined),
  };
}
