import type { Attribute } from '../../normaliser.ts';
import { at, flag, text } from '../../values.ts';

/** Declares what `readContainer` gives. */
export const containerAttributes = {
  containers: { type: 'list', meaning: 'container definitions', absent: [] },
  'containers[].name': { type: 'string', meaning: "the container's name" },
  'containers[].image': { type: 'string', meaning: 'image reference' },
  'containers[].user': {
    type: 'string',
    meaning:
      "who it runs as: `user`, `uid`, `user:group`; none: the image's own, which may be root",
  },
  'containers[].privileged': {
    type: 'bool',
    meaning: "runs with the host's rights",
    absent: false,
  },
  'containers[].read_only_root_filesystem': {
    type: 'bool',
    meaning: 'the root file system is read-only',
    absent: false,
  },
} as const satisfies Record<string, Attribute>;

/** A container of ECS or Batch. The same names everywhere; templates write them with a capital, the API without. */
export function readContainer(container: unknown) {
  const field = (name: string): unknown =>
    at(container, name) ?? at(container, `${name.charAt(0).toLowerCase()}${name.slice(1)}`);
  return {
    name: text(field('Name')),
    image: text(field('Image')),
    user: text(field('User')),
    privileged: flag(field('Privileged')) ?? false,
    read_only_root_filesystem: flag(field('ReadonlyRootFilesystem')) ?? false,
  };
}
