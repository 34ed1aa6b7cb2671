import { frameworkObjects, isPathMissing } from '../../client/objects.ts';
import { byCodeUnit, canonicalJson } from '../../contract/canonical-json.ts';
import type { DefinedControl } from '../../contract/frameworks.ts';
import { catalogueOf, frameworkIdOf } from '../../engine/frameworks/frameworks.ts';
import { fingerprint } from '../compare/fingerprint.ts';
import { isOwnershipTag } from '../compare/ownership.ts';
import type { LocalFramework } from '../model.ts';
import type { Body, FieldChange, Kind, LocalDocument } from './kind.ts';

const fields = ['id', 'name', 'version', 'tags', 'controls'] as const;

// Whoever hands a body to this kind got it as a framework: from a file, an answer or a plan, each parsed as one.
const controlsOf = ({ controls }: Body): readonly DefinedControl[] =>
  controls as readonly DefinedControl[];

const idOf = ({ id }: Body): string => frameworkIdOf(String(id));

/** What a framework says, in one spelling for each meaning; the order of controls is how they are shown. */
function normalise(body: Body, ownership: 'kept' | 'dropped'): Body {
  const tags = (Array.isArray(body.tags) ? body.tags.map(String) : []).filter(
    (tag) => ownership === 'kept' || !isOwnershipTag(tag),
  );
  return {
    id: idOf(body),
    name: body.name,
    ...(body.version ? { version: body.version } : {}),
    ...(tags.length > 0 ? { tags: [...new Set(tags)].sort(byCodeUnit) } : {}),
    controls: controlsOf(body).map(({ id, title, description, parent }) => ({
      id,
      title,
      ...(description ? { description } : {}),
      ...(parent === undefined ? {} : { parent }),
    })),
  };
}

/** Controls differ by what they say; where that is the same, by their order. */
function diffControls(
  before: readonly DefinedControl[],
  after: readonly DefinedControl[],
): FieldChange[] {
  const [old, next] = [before, after].map((list) => new Map(list.map((one) => [one.id, one])));
  const changes = [...new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])])].flatMap(
    (id): FieldChange[] => {
      const [was, is] = [old?.get(id), next?.get(id)];
      const path = `controls.${id}`;
      if (!was || !is) return [{ path, before: was ?? null, after: is ?? null }];
      return (['title', 'description', 'parent'] as const).flatMap((field): FieldChange[] =>
        was[field] === is[field]
          ? []
          : [{ path: `${path}.${field}`, before: was[field] ?? null, after: is[field] ?? null }],
      );
    },
  );
  if (changes.length > 0) return changes;
  const ids = (list: readonly DefinedControl[]): string[] => list.map(({ id }) => id);
  return canonicalJson(ids(before)) === canonicalJson(ids(after))
    ? []
    : [{ path: 'controls', before: ids(before), after: ids(after) }];
}

export const frameworkKind: Kind = {
  name: 'Framework',
  noun: { one: 'framework', many: 'frameworks' },
  objects: frameworkObjects,
  isOurs: true,
  isMissing: isPathMissing,
  fields,
  writeOnly: [],
  identity: 'id',
  isUnique: false,
  guardsEmpty: false,
  changed: 'file changed',
  // Policies are labelled with its controls.
  turn: { write: 0, delete: 2 },
  keepsTags: async () => true,
  titleOf: ({ name }) => String(name),
  keyOf: idOf,
  identityOf: idOf,
  content: (body) => normalise(body, 'dropped'),
  state: (body) => normalise(body, 'kept'),
  hash: (normal) => fingerprint(normal),
  diffField: (field, before, after) =>
    field === 'controls'
      ? diffControls(before as readonly DefinedControl[], after as readonly DefinedControl[])
      : undefined,
  outline: (body) => {
    const { length } = controlsOf(body);
    const builtIn = catalogueOf(idOf(body));
    return [
      typeof body.version === 'string' ? body.version : undefined,
      `${length} control${length === 1 ? '' : 's'}`,
      builtIn && `titles for ${builtIn.name}, a built-in framework`,
    ];
  },
  outlined: ['id', 'version', 'controls'],
  wanted: ({ body }) => ({ real: body, shown: body }),
  shownLive: (live) => live,
  beyondContent: () => undefined,
  noteOn: () => undefined,
  reveal: (_key, shown) => shown,
  withoutExtensions: () => undefined,
};

export const frameworkDocument = ({ key, framework, place }: LocalFramework): LocalDocument => ({
  kind: frameworkKind,
  key,
  written: framework,
  body: framework,
  place,
});
