import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, mapList, readJson, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { containerAttributes, readContainer } from './container.ts';

export const ecsTaskDefinition = normaliser({
  types: ['AWS::ECS::TaskDefinition'],
  source: 'Amazon ECS API Reference, API version 2014-11-13',
  attributes: {
    network_mode: {
      type: 'string',
      meaning: '`awsvpc`, `bridge`, `host` or `none`',
      spelling: ['awsvpc', 'bridge', 'host', 'none', 'default'],
      absent: 'bridge',
    },
    ...containerAttributes,
  },
  arguments: {
    Image: 'image',
    NetworkMode: 'network_mode',
    Privileged: 'privileged',
    Secrets: 'secrets',
    User: 'user',
  },
  from: {
    cloudformation: (raw) => ofTemplate(raw),
    terraform: ({ properties }) => ({
      network_mode: text(planned(properties, 'network_mode')),
      containers: mapList(readJson(at(properties, 'container_definitions')), readContainer),
    }),
    'aws-config': (raw) => ofTemplate(raw),
  },
});

const ofTemplate = ({ properties }: RawResource) => ({
  network_mode: text(at(properties, 'NetworkMode')),
  containers: mapList(at(properties, 'ContainerDefinitions'), readContainer),
});
