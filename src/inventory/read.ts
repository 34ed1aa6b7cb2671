import type { Resource } from '../contract/resources.ts';
import { formatWords } from './formats/formats.ts';
import type { Format } from './formats/formats.ts';
import type {
  Deleted,
  DocumentPath,
  DocumentProblem,
  InputProblem,
  LeftOut,
  RawResource,
  ReadOptions,
  ReadResource,
  Reader,
} from './model.ts';
import { normaliseAll, withSpelledType } from './attributes/normalise.ts';
import { noticesOfPages } from './pages.ts';
import { noticesOfTemplates } from './templates-within.ts';
import { isFields, itemsOf } from './json.ts';
import { readers } from './formats/readers.ts';
import { decodeText } from './text/decode-text.ts';
import { describeLongNamed, isShortNamed } from './long-names.ts';
import { parseText } from './text/parse.ts';
import type { ParsedText, TextParse } from './text/parsed-text.ts';
import type { TextPlace } from './text/place.ts';

/** What an input holds. */
export interface Inventory {
  readonly format: Format;
  readonly resources: readonly ReadResource[];
  /** Parts that could not be used; the rest was. */
  readonly problems: readonly InputProblem[];
  /** Because of one of the problems, all resources may be otherwise than they were read. */
  readonly isInDoubt: boolean;
  /** Declared, and not deployed; none of them is among the resources. */
  readonly leftOut: readonly LeftOut[];
  /** What the input says was deleted. */
  readonly deleted: readonly Deleted[];
  /** It contains a part of an account, such as a stack: what it lacks may be there. */
  readonly isPart: boolean;
  /** IDs of resources that the input names, but tells nothing of. */
  readonly untold: readonly string[];
  /** What may be otherwise than it is written; all that can be read was. */
  readonly notices: readonly InputProblem[];
  /** Those of the notices that say that it is one page of a longer list: resources may be missing. */
  readonly pages: readonly InputProblem[];
  /** Line and column of something in the text, from 1; found when asked for, as only findings need it. */
  locate(at: DocumentPath): TextPlace | undefined;
}

export type InventoryRead =
  | { readonly ok: true; readonly inventory: Inventory }
  | {
      readonly ok: false;
      readonly problem: InputProblem;
      /** Others of the same input, where none of its parts could be used. */
      readonly more?: readonly InputProblem[];
      /** It could be parsed, but no reader takes it. */
      readonly unknownFormat?: true;
    };

/**
 * Reads the resources of one input, as bytes or as text: parses it (JSON or YAML), tells its format, resolves what a template leaves to its
 * parameters, and fills in the well-known attributes. Total: what can't be read is a problem with a place.
 */
export function readInventory(
  input: string | Uint8Array,
  options: ReadOptions = {},
): InventoryRead {
  const parse = parseInput(input);
  return parse.ok ? readParsed(parse.parsed, options) : parse;
}

/** The same for an input that was parsed before. */
export function readParsed(parsed: ParsedText, options: ReadOptions = {}): InventoryRead {
  // What a cloud lists where it has none may be of any format.
  const isEmptyList = isEmpty(parsed.document);
  const format = options.format ?? (isEmptyList ? 'native' : undefined);
  const reader = readers.find((one) =>
    format === undefined ? one.detects(parsed.document) : one.format === format,
  );
  if (!reader) {
    const problem = { message: unknownFormat(parsed.document), line: 1, column: 1 };
    return { ok: false, problem, unknownFormat: true };
  }
  const document = isEmptyList && options.format === undefined ? [] : parsed.document;
  const read = reader.read(document, { ...options, isJoined: parsed.isJoined });
  const [raws, longNamed] = partition(read.raws, isShortNamed);
  const [leftOut, longLeftOut] = partition(read.leftOut ?? [], isShortNamed);
  const problems = [...read.problems, ...[...longNamed, ...longLeftOut].map(describeLongNamed)];
  const placed = (ones: readonly DocumentProblem[]): InputProblem[] => {
    const places = parsed.locate(ones.map(({ at = [] }) => at));
    return ones.map(({ message }, index) => ({ message, ...places[index] }));
  };
  const found = placed(problems);
  const pages = placed(pagesIn(parsed));
  const [first, ...more] = found;
  if (raws.length + leftOut.length === 0 && first) {
    return { ok: false, problem: first, ...(more.length > 0 ? { more } : {}) };
  }
  const other = raws.length + leftOut.length === 0 ? otherReaderOf(parsed, reader) : undefined;
  if (other) {
    const [found, given] = [other, reader].map(({ format }) => formatWords[format].title);
    const message = `this is ${found}, not ${given}; use --format ${other.format}, or omit --format`;
    return { ok: false, problem: { message, line: 1, column: 1 } };
  }
  return {
    ok: true,
    inventory: {
      format: reader.format,
      resources: readResources(raws, reader),
      problems: [...parsed.problems, ...parsed.repeatedKeys(), ...found],
      isInDoubt: problems.some(({ affectsAll }) => affectsAll),
      leftOut,
      deleted: read.deleted ?? [],
      untold: read.untold ?? [],
      isPart: read.isPart ?? false,
      notices: [
        ...placed([
          ...(read.notices ?? []),
          ...(isEmptyList ? [emptyList] : []),
          ...noticesOfTemplates(raws),
        ]),
        ...pages,
      ],
      pages,
      locate: createLocate(parsed, [...raws.flatMap(placesOf), ...leftOut]),
    },
  };
}

/** Under which the tools of clouds list what there is. */
const listKeys: readonly string[] = [
  ...['resources', 'value', 'data', 'assets', 'results'],
  ...['configurationItems', 'baseConfigurationItems', 'Results'],
];

/** A list of resources without any, as all clouds have them: `[]`, or a map with such a list, of which no more can be told. */
function isEmpty(document: unknown): boolean {
  if (Array.isArray(document)) return document.length === 0;
  if (!isFields(document)) return false;
  const fields = Object.entries(document).filter(([key]) => key !== 'QueryInfo');
  const lists = fields.filter(([, value]) => typeof value === 'object' && value !== null);
  const [[key, value] = []] = lists;
  const isOne = lists.length === 1 && Array.isArray(value) && value.length === 0;
  if (!isOne || !listKeys.includes(String(key))) return false;
  return fields.length === 1 || !readers.some((one) => one.detects(document));
}

const emptyList = { message: 'this is an empty list: it contains no resources' };

/** The one that takes a document, where the wrong one was named, which finds nothing in it. */
const otherReaderOf = ({ document }: ParsedText, named: Reader): Reader | undefined =>
  named.detects(document) ? undefined : readers.find((one) => one.detects(document));

const pagesIn = ({ document, isJoined }: ParsedText): DocumentProblem[] =>
  isJoined
    ? itemsOf(document).flatMap((page, index) =>
        noticesOfPages(page).map(({ message, at = [] }) => ({ message, at: [index, ...at] })),
      )
    : noticesOfPages(document);

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

export function parseInput(input: string | Uint8Array): TextParse {
  if (typeof input === 'string') return parseText(input);
  const decoded = decodeText(input);
  return decoded.ok ? parseText(decoded.text) : decoded;
}

/** The native format says all there is to say. */
const readResources = (raws: readonly RawResource[], { format }: Reader): ReadResource[] =>
  format === 'native'
    ? raws.map(({ given, address, at }) => ({
        resource: withSpelledType(given as Resource),
        address,
        at,
      })) // as the native reader made it
    : normaliseAll(raws, format);

/** Whatever a finding of a resource may stand at. */
const placesOf = (raw: RawResource): Pick<RawResource, 'at'>[] => [
  raw,
  ...(raw.merged?.parts ?? []),
  ...(raw.skips ?? []),
];

/** Where findings stand: all places are located together when the first is asked for, as each takes a walk through the text. */
function createLocate(
  parsed: ParsedText,
  raws: readonly Pick<RawResource, 'at'>[],
): Inventory['locate'] {
  let known: Map<string, TextPlace | undefined> | undefined;
  return (at) => {
    if (!known) {
      const places = parsed.locate(raws.map((raw) => raw.at));
      known = new Map(raws.map((raw, index) => [JSON.stringify(raw.at), places[index]]));
    }
    const key = JSON.stringify(at);
    const found = known.get(key) ?? parsed.locate([at])[0];
    known.set(key, found);
    return found;
  };
}

function unknownFormat(document: unknown): string {
  const known = readers.map(({ format }) => `${format} (${formatWords[format].title})`).join(', ');
  return `this is ${describeDocument(document)}, which is not a supported format; supported: ${known}. Use --format to set the format`;
}

/** Keys that are named. */
const maxKeys = 8;

/** What a parsed document is, for people: its kind and its first keys. */
function describeDocument(document: unknown): string {
  if (document === null) return 'nothing (null)';
  if (Array.isArray(document)) {
    return `a list whose first item is ${describeDocument(document[0])}`;
  }
  if (typeof document !== 'object') return `a single ${typeof document}`;
  const keys = Object.keys(document);
  if (keys.length === 0) return 'an empty map';
  const named = keys.slice(0, maxKeys).map((key) => JSON.stringify(key.slice(0, 64)));
  const more = keys.length > maxKeys ? ` and ${keys.length - maxKeys} more` : '';
  return `a map with the keys ${named.join(', ')}${more}`;
}
