import type { DefinedControl } from '../../contract/frameworks.ts';
import { mostControls } from '../../contract/frameworks.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { maxDepth, tooDeep } from '../../inventory/text/depth.ts';
import { createPlaces } from '../../inventory/text/place.ts';
import { scanJson } from '../../inventory/text/scan-json.ts';
import { invalidInput } from './imported.ts';
import type { Imported } from './imported.ts';

/** Limits on lists and objects of a file, and on keys of an object: parsing up to them takes a second. OSCAL's have some twenty keys. */
const mostNested = 1_000_000;
const mostKeys = 1_000;

type Fields = Readonly<Record<string, unknown>>;

/** The other models of OSCAL, and what to do with one. */
const models: Readonly<Record<string, string>> = {
  profile:
    'Resolve the profile into a catalog first. NIST publishes resolved catalogs, named *-resolved-profile_catalog.json.',
  'component-definition':
    'The file contains component definitions. Import the catalog that they refer to.',
  'system-security-plan':
    'The file contains a system security plan. Import the catalog that the plan refers to.',
  'assessment-plan':
    'The file contains an assessment plan. Import the catalog that the plan refers to.',
  'assessment-results':
    'The file contains assessment results. Import the catalog that the results refer to.',
  'plan-of-action-and-milestones':
    'The file contains a plan of action and milestones. Import the catalog that the plan refers to.',
  'mapping-collection': 'The file contains a control mapping. Import a catalog instead.',
};

/**
 * The controls of an OSCAL catalog or a resolved profile, as JSON. References are never followed, so they cannot make
 * reading slow.
 * @throws GovctlError invalid_file
 */
export function readOscal(file: string, text: string): Imported {
  const document = parseBounded(file, text);
  const catalog = isFields(document) ? document.catalog : undefined;
  if (!isFields(catalog)) throw notACatalog(file, document);
  const controls: DefinedControl[] = [];
  collect(catalog, undefined, controls, file);
  if (controls.length === 0) throw invalidInput(file, 'the catalog has no controls');
  const metadata = isFields(catalog.metadata) ? catalog.metadata : {};
  const version = textOf(metadata.version, 256);
  return {
    name: textOf(metadata.title, 256),
    ...(version === undefined ? {} : { version }),
    controls,
  };
}

/** @throws GovctlError invalid_file if it is not JSON, or too large to parse in a second */
function parseBounded(file: string, text: string): unknown {
  /** The number of keys so far in each open object. */
  const keys: number[] = [];
  let nested = 0;
  const open = (): void => {
    if (keys.push(0) > maxDepth) throw invalidInput(file, tooDeep.replace(' here', ''));
    if (++nested > mostNested) {
      throw invalidInput(
        file,
        `the file contains more than ${inThrees(mostNested)} lists and maps`,
      );
    }
  };
  const key = (): void => {
    const count = (keys.pop() ?? 0) + 1;
    keys.push(count);
    if (count > mostKeys) {
      throw invalidInput(file, `an object has more than ${inThrees(mostKeys)} keys`);
    }
  };
  const stop = scanJson(text, { open, close: () => void keys.pop(), key });
  if (stop !== undefined) {
    const { line, column } = createPlaces(text)(stop);
    throw invalidInput(
      `${file}:${line}:${column}`,
      'not JSON',
      'Pass an OSCAL catalog in JSON. For a CSV file, pass --format csv.',
    );
  }
  return JSON.parse(text) as unknown;
}

function notACatalog(file: string, document: unknown) {
  const found = isFields(document)
    ? Object.keys(models).find((model) => Object.hasOwn(document, model))
    : undefined;
  return found === undefined
    ? invalidInput(
        file,
        'JSON, but not an OSCAL catalog',
        'A catalog is an object with the key catalog.',
      )
    : invalidInput(file, `the OSCAL model is ${found}, not catalog`, models[found]);
}

/** As deep as the file nests at most. */
function collect(
  within: Fields,
  parent: string | undefined,
  controls: DefinedControl[],
  file: string,
): void {
  for (const group of listOf(within.groups)) collect(group, parent, controls, file);
  for (const control of listOf(within.controls)) {
    const own = isWithdrawn(control) ? undefined : readControl(control, parent);
    if (own && controls.push(own) > mostControls) {
      throw invalidInput(file, `the catalog has more than ${inThrees(mostControls)} controls`);
    }
    collect(control, own?.id ?? parent, controls, file);
  }
}

const propsOf = (control: Fields): readonly Fields[] => listOf(control.props);

const isWithdrawn = (control: Fields): boolean =>
  propsOf(control).some(
    ({ name, value }) => name === 'status' && String(value).toLowerCase() === 'withdrawn',
  );

function readControl(control: Fields, parent: string | undefined): DefinedControl | undefined {
  const label = propsOf(control).find(
    ({ name, class: kind }) => name === 'label' && kind === undefined,
  );
  const id = textOf(label?.value, 64) ?? textOf(control.id, 64);
  if (id === undefined) return undefined;
  const insert = createInsert(control);
  const lines = listOf(control.parts)
    .filter(({ name }) => name === 'statement')
    .flatMap((part) => proseOf(part, insert));
  const description = lines.join('\n').slice(0, longestText).trim();
  return {
    id,
    title: textOf(control.title, 512) ?? id,
    ...(description === '' ? {} : { description }),
    ...(parent === undefined ? {} : { parent }),
  };
}

const longestText = 16_384;

/** A statement and its items, a line each. */
function proseOf(part: Fields, insert: (prose: string) => string): string[] {
  const label = listOf(part.props).find(({ name }) => name === 'label')?.value;
  const prose =
    typeof part.prose === 'string' ? insert(part.prose.slice(0, longestText)).trim() : '';
  const line = [label, prose].filter((one) => typeof one === 'string' && one !== '').join(' ');
  return [
    ...(prose === '' ? [] : [line]),
    ...listOf(part.parts).flatMap((item) => proseOf(item, insert)),
  ];
}

const inserted = /\{\{\s{0,9}(?:insert:\s{0,9}param,\s{0,9})?([\w.-]{1,100})\s{0,9}\}\}/g;

/**
 * What stands for a parameter in prose, `{{ insert: param, ac-1_prm_1 }}`, becomes its label, or what there is to choose
 * from: `[personnel or roles]`.
 */
function createInsert(control: Fields): (prose: string) => string {
  const labels = new Map(
    listOf(control.params).flatMap(({ id, label, select }) => {
      const choices = isFields(select) && Array.isArray(select.choice) ? select.choice : [];
      const text = label ?? choices.slice(0, 20).map(String).join(' / ').replace(inserted, '$1');
      return typeof id === 'string' && typeof text === 'string' && text !== ''
        ? [[id, text.slice(0, 500)] as const]
        : [];
    }),
  );
  return (prose) => prose.replace(inserted, (_whole, id: string) => `[${labels.get(id) ?? id}]`);
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isFields) : [];

/** A text of one line that says something. */
function textOf(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value
    .slice(0, 4 * most)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most);
  return text === '' ? undefined : text;
}
