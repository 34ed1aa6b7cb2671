import type { CollectionSpec, Document } from './store.ts';

type Migrating = Pick<CollectionSpec<never>, 'name' | 'migrations'>;

/** Versions of the documents of collections, by name; a collection that is not there has version 1. */
export type Versions = Readonly<Record<string, number>>;

/** The version of the documents that this program writes. */
export const versionOf = ({ migrations = [] }: Pick<Migrating, 'migrations'>): number =>
  migrations.length + 1;

/** @returns undefined where all are at version 1 */
export function versionsOf(specs: readonly Migrating[]): Versions | undefined {
  const changed = specs.filter((spec) => versionOf(spec) > 1);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((spec) => [spec.name, versionOf(spec)]));
}

/** A document of a version, as this program stores it. */
export const migrate = (
  { migrations = [] }: Pick<Migrating, 'migrations'>,
  version: number,
  doc: Document,
): Document => migrations.slice(version - 1).reduce<Document>((older, step) => step(older), doc);

/** @returns the first collection whose documents are newer than this program knows, in words */
export function newerThanKnown(
  specs: readonly Migrating[],
  versions: Versions = {},
): string | undefined {
  const newer = Object.entries(versions).find(([name, version]) => {
    const spec = specs.find((one) => one.name === name);
    return version > (spec ? versionOf(spec) : 1);
  });
  if (!newer) return undefined;
  const [name, version] = newer;
  const spec = specs.find((one) => one.name === name);
  return `the records of "${name}" have version ${version}; this govctl supports version ${spec ? versionOf(spec) : 1}`;
}
