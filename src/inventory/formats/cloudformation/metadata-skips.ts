import type { DocumentPath, MetadataSkip } from '../../model.ts';
import { isFields, own } from './resolver.ts';

/** The policies that a resource's Metadata asks to skip: `govctl.skip`, a list of `{policy, until, reason}` or one of them. */
export function skipsIn(metadata: unknown, at: DocumentPath): MetadataSkip[] {
  const section = isFields(metadata) ? own(metadata, 'govctl') : undefined;
  const skip = isFields(section) ? own(section, 'skip') : undefined;
  if (skip === undefined) return [];
  const place = [...at, 'govctl', 'skip'];
  return Array.isArray(skip)
    ? skip.map((one, index) => readSkip(one, [...place, index]))
    : [readSkip(skip, place)];
}

function readSkip(value: unknown, at: DocumentPath): MetadataSkip {
  const textOf = (name: string): string | undefined => {
    const given = isFields(value) ? own(value, name) : undefined;
    return typeof given === 'string' ? given.trim() : undefined;
  };
  return { policy: textOf('policy'), until: textOf('until'), reason: textOf('reason'), at };
}
