import type { Attribute } from '../../normaliser.ts';
import { flag, mapList, text, textMap } from '../../values.ts';
import { field } from '../api-field.ts';
import { asWritten } from '../policy-document.ts';

/** Declares what `readContainer` gives. */
export const containerAttributes = {
  containers: { type: 'list', meaning: 'container definitions', absent: [] },
  'containers[].name': { type: 'string', meaning: 'name of the container' },
  'containers[].image': { type: 'string', meaning: 'image reference' },
  'containers[].user': {
    type: 'string',
    meaning:
      'user of the container: `user`, `uid` or `user:group`; if not set, the user of the image, which may be root',
  },
  'containers[].privileged': {
    type: 'bool',
    meaning: 'the container runs in privileged mode',
    absent: false,
  },
  'containers[].read_only_root_filesystem': {
    type: 'bool',
    meaning: 'the root file system is read-only',
    absent: false,
  },
  'containers[].environment_variables': {
    type: 'map<string,string>',
    meaning: 'environment variables with their values, except those from Secrets Manager',
    absent: {},
  },
} as const satisfies Record<string, Attribute>;

/** A container of ECS or Batch, as a template or the API writes it. */
export const readContainer = (container: unknown) => ({
  name: text(field(container, 'Name')),
  image: text(asWritten(field(container, 'Image'))),
  user: text(field(container, 'User')),
  privileged: flag(field(container, 'Privileged')) ?? false,
  read_only_root_filesystem: flag(field(container, 'ReadonlyRootFilesystem')) ?? false,
  environment_variables: variablesOf(field(container, 'Environment')),
});

/** Pairs of a name and a value. */
export const variablesOf = (pairs: unknown) =>
  textMap(mapList(pairs, (one) => ({ Key: field(one, 'Name'), Value: field(one, 'Value') })));
