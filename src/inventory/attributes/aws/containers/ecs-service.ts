import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { eitherWord, flag } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const ofDocument = ({ properties }: RawResource) => ({
  public_access: eitherWord(
    field(properties, 'NetworkConfiguration', 'AwsvpcConfiguration', 'AssignPublicIp'),
    ['ENABLED'],
    ['DISABLED'],
  ),
});

export const ecsService = normaliser({
  types: ['AWS::ECS::Service'],
  source: 'Amazon ECS API Reference, API version 2014-11-13',
  attributes: {
    public_access: { type: 'bool', meaning: 'each task has a public IP address', absent: false },
  },
  arguments: {
    'NetworkConfiguration.AwsvpcConfiguration.AssignPublicIp':
      'network_configuration.assign_public_ip',
  },
  from: {
    cloudformation: ofDocument,
    'aws-config': ofDocument,
    terraform: ({ properties }) => ({
      public_access: flag(planned(properties, 'network_configuration', 'assign_public_ip')),
    }),
  },
});
