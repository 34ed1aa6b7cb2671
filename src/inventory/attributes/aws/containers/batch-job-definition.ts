import { normaliser } from '../../normaliser.ts';
import {
  at,
  block,
  flag,
  isUnknown,
  joinLists,
  list,
  mapList,
  readJson,
  text,
} from '../../values.ts';
import { containerAttributes, readContainer, variablesOf } from './container.ts';

export const batchJobDefinition = normaliser({
  types: ['AWS::Batch::JobDefinition'],
  source: 'AWS Batch API Reference, API version 2016-08-10',
  attributes: containerAttributes,
  arguments: {
    Privileged: 'privileged',
    Secrets: 'secrets',
  },
  from: {
    cloudformation: ({ properties }) => ({
      containers: joinLists(
        mapList(at(properties, 'ContainerProperties'), readContainer),
        ...inRanges(at(properties, 'NodeProperties', 'NodeRangeProperties'), 'Container'),
        mapList(at(properties, 'EksProperties', 'PodProperties', 'Containers'), (container) =>
          readPodContainer({
            name: at(container, 'Name'),
            image: at(container, 'Image'),
            user: at(container, 'SecurityContext', 'RunAsUser'),
            privileged: at(container, 'SecurityContext', 'Privileged'),
            readOnly: at(container, 'SecurityContext', 'ReadOnlyRootFilesystem'),
            environment: at(container, 'Env'),
          }),
        ),
      ),
    }),
    terraform: ({ properties }) => ({
      containers: joinLists(
        mapList(readJson(at(properties, 'container_properties')), readContainer),
        ...inRanges(
          at(readJson(at(properties, 'node_properties')), 'nodeRangeProperties'),
          'container',
        ),
        mapList(
          at(block(properties, 'eks_properties', 'pod_properties'), 'containers'),
          (container) => {
            const context = block(container, 'security_context');
            return readPodContainer({
              name: at(container, 'name'),
              image: at(container, 'image'),
              user: at(context, 'run_as_user'),
              privileged: at(context, 'privileged'),
              readOnly: at(context, 'read_only_root_file_system'),
              environment: at(container, 'env'),
            });
          },
        ),
      ),
    }),
  },
});

type Containers = ReturnType<typeof mapList>;

/** The containers of a multi-node job's ranges. */
function inRanges(ranges: unknown, field: string): Containers[] {
  const items = list(ranges);
  return isUnknown(items)
    ? [items]
    : items.map((range) => mapList(at(range, field), readContainer));
}

const readPodContainer = (
  given: Readonly<
    Record<'name' | 'image' | 'user' | 'privileged' | 'readOnly' | 'environment', unknown>
  >,
) => ({
  name: text(given.name),
  image: text(given.image),
  user: text(given.user),
  privileged: flag(given.privileged) ?? false,
  read_only_root_filesystem: flag(given.readOnly) ?? false,
  environment_variables: variablesOf(given.environment),
});
