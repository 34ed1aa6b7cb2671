import { findControlFaults } from '../../engine/frameworks/definition.ts';
import { catalogueOf, frameworkIdOf } from '../../engine/frameworks/frameworks.ts';
import type { FrameworkDocument } from '../documents/framework.ts';
import type { Identity } from '../key.ts';
import type { LocalFramework, Problem } from '../model.ts';
import { documentSpan, fieldSpan } from './locate.ts';
import type { RawDocument } from './parse-yaml.ts';
import type { Source } from './source.ts';
import { problemAt } from './source.ts';

/** What a framework is known by, even where the rest of it is wrong. */
export function frameworkIdentity({ id }: Readonly<Record<string, unknown>>): {
  identity?: Identity;
} {
  if (typeof id !== 'string') return {};
  const key = frameworkIdOf(id);
  return { identity: { kind: 'Framework', name: key, key, keyField: 'id' } };
}

/** A framework whose schema is satisfied, and what is wrong among its controls. */
export function readFramework(
  source: Source,
  raw: RawDocument,
  document: FrameworkDocument,
): { framework: LocalFramework; identity?: Identity; problems: Problem[] } {
  const framework: LocalFramework['framework'] & { kind?: 'Framework' } = { ...document };
  delete framework.kind;
  const { id, controls } = framework;
  const problems = findControlFaults(id, controls, catalogueOf(id)).map(({ field, message }) => {
    const [, index = '', name = ''] = /^controls\[(\d+)\]\.(\w+)$/.exec(field) ?? [];
    const span = fieldSpan(source, raw, ['controls', Number(index), name]);
    return problemAt(source, span, {
      code: 'framework',
      message: `${field} ${message}`,
      hint: undefined,
    });
  });
  const place = source.place(documentSpan(raw).start);
  return {
    framework: { key: frameworkIdOf(id), framework, place },
    ...frameworkIdentity(framework),
    problems,
  };
}
