import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Catalogue } from '../../engine/frameworks/catalogue.ts';
import { catalogueOf, catalogues, frameworkIdOf } from '../../engine/frameworks/frameworks.ts';
import { titleOf, titlesOf } from '../../engine/frameworks/titles.ts';
import type { TitleOf } from '../../engine/frameworks/titles.ts';
import { controlKey, frameworkKey, showControl } from '../../engine/labels.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { frameworkDefinitions } from './collection.ts';
import type { StoredFramework } from './collection.ts';

export interface KnownControl {
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly parent?: string;
}

/** A framework whose controls are known. */
export interface KnownFramework {
  readonly id: string;
  readonly name: string;
  readonly version?: string;
  readonly built_in: boolean;
  /** A built-in framework with imported texts. */
  readonly has_texts?: true;
  readonly controls: readonly KnownControl[];
}

const builtIn: readonly KnownFramework[] = catalogues.map((catalogue) => {
  const { id, name, version, controls } = catalogue;
  const titles = titlesOf(catalogue);
  return {
    id,
    name,
    version,
    built_in: true,
    controls: controls.map((one) => ({
      id: one,
      ...defined({ title: titles.get(controlKey(name, one)) }),
    })),
  };
});

/** Cached by stored definition, which never changes: every answer needs them. */
const read = new WeakMap<StoredFramework, KnownFramework>();

function readStored(stored: StoredFramework): KnownFramework {
  let known = read.get(stored);
  if (!known) read.set(stored, (known = knownOf(stored)));
  return known;
}

function knownOf({ id, name, version, controls, built_in }: StoredFramework): KnownFramework {
  const own = controls.map(({ id: control, title, description, parent }) => ({
    id: control,
    title,
    ...defined({ description, parent }),
  }));
  const base = built_in ? builtIn.find((one) => one.id === id) : undefined;
  if (!base) return { id, name, ...defined({ version }), built_in: false, controls: own };
  const texts = new Map(own.map((one) => [controlKey(id, one.id), one]));
  return {
    ...base,
    has_texts: true,
    controls: base.controls.map((one) => {
      const text = texts.get(controlKey(id, one.id));
      return text ? { ...text, id: one.id } : one;
    }),
  };
}

/** All frameworks whose controls are known: built-in ones, with the user's texts, and custom ones. */
export async function knownFrameworks(reader: Reader): Promise<readonly KnownFramework[]> {
  const stored: KnownFramework[] = [];
  for await (const { doc } of allRows(reader, frameworkDefinitions, {}))
    stored.push(readStored(doc));
  const texts = new Map(stored.map((one) => [one.id, one]));
  return [
    ...builtIn.map((one) => texts.get(one.id) ?? one),
    ...stored.filter((one) => !one.built_in),
  ];
}

/** The ID that a framework is stored by, and what is built in of it. */
export function placeOf(given: string): { id: string; catalogue: Catalogue | undefined } {
  return { id: frameworkIdOf(given), catalogue: catalogueOf(given) };
}

/** Undefined: there is no such framework. */
export async function lookUpFramework(
  reader: Reader,
  given: string,
): Promise<KnownFramework | undefined> {
  const { id } = placeOf(given);
  const stored = (await reader.get(frameworkDefinitions, id))?.doc;
  return stored ? readStored(stored) : builtIn.find((one) => one.id === id);
}

/** @throws GovctlError framework_not_found, with the nearest one */
export async function findFramework(reader: Reader, given: string): Promise<KnownFramework> {
  const found = await lookUpFramework(reader, given);
  if (found) return found;
  const ids = (await knownFrameworks(reader)).map(({ id }) => id);
  const nearest = nearestWord(given, ids);
  throw new GovctlError(
    'framework_not_found',
    `There is no framework ${JSON.stringify(given.slice(0, 100))}`,
    {
      hint:
        nearest === undefined ? `Use one of ${ids.slice(0, 20).join(', ')}.` : `Did you mean ${nearest}?`, // prettier-ignore
    },
  );
}

/** @throws GovctlError control_not_found, with the nearest one */
export function findControl(framework: KnownFramework, given: string): KnownControl {
  const found = controlIn(framework, given);
  if (found) return found;
  const { id, version, controls } = framework;
  const nearest = nearestWord(
    showControl(id, given),
    controls.map((control) => control.id),
  );
  throw new GovctlError(
    'control_not_found',
    `${framework.name}${version === undefined ? '' : ` (${version})`} has no control ${JSON.stringify(given.slice(0, 100))}`,
    {
      hint:
        nearest === undefined ? `Use \`govctl framework show ${id}\` to list them.` : `Did you mean ${nearest}?`, // prettier-ignore
    },
  );
}

export function controlIn(framework: KnownFramework, given: string): KnownControl | undefined {
  const key = controlKey(framework.id, given);
  return framework.controls.find(({ id }) => controlKey(framework.id, id) === key);
}

/** By `controlKey`. */
const titles = new WeakMap<StoredFramework, ReadonlyMap<string, string>>();

/** Of what is stored, which never changes: only of frameworks that are asked about. */
function titlesOfStored(stored: StoredFramework): ReadonlyMap<string, string> {
  let known = titles.get(stored);
  if (!known) {
    const { id, controls } = stored;
    known = new Map(controls.map((one) => [controlKey(id, one.id), one.title]));
    titles.set(stored, known);
  }
  return known;
}

/** Titles of controls: imported ones, else the built-in ones. */
export async function titlesIn(reader: Reader): Promise<TitleOf> {
  const byFramework = new Map<string, StoredFramework>();
  for await (const { doc } of allRows(reader, frameworkDefinitions, {})) {
    byFramework.set(frameworkKey(doc.id), doc);
  }
  return (framework, control) => {
    const stored = byFramework.get(frameworkKey(framework));
    const own = stored && titlesOfStored(stored).get(controlKey(framework, control));
    return own ?? titleOf(framework, control);
  };
}
