import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js';

/** The files of a workbook, by their names. */
export type Files = ReadonlyMap<string, string>;

export async function unzip(bytes: Buffer): Promise<Files> {
  const zip = new ZipReader(new BlobReader(new Blob([new Uint8Array(bytes)])));
  const files = new Map<string, string>();
  for (const entry of await zip.getEntries()) {
    if (!entry.directory) files.set(entry.filename, await entry.getData(new TextWriter()));
  }
  return files;
}

export const sheetNamesOf = (files: Files): string[] =>
  [...(files.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(([, name = '']) => name); // prettier-ignore

export const textsIn = (xml: string): string =>
  [...xml.matchAll(/<t [^>]*>(.*?)<\/t>/gs)].map(([, text = '']) => text).join('');

/** What a cell has: its number, or its text as XML. */
export function cellAt(sheet: string, place: string): string | number | undefined {
  const [cell] = new RegExp(`<c r="${place}" [^>]*?(/>|>.*?</c>)`, 's').exec(sheet) ?? [];
  if (cell === undefined) return undefined;
  const [, number] = /<v>(.*)<\/v>/.exec(cell) ?? [];
  return number === undefined ? textsIn(cell) : Number(number);
}

/** An element: its name, its attributes, and the elements in it. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

/** Well-formed XML of elements, attributes and text. */
export function readXml(xml: string): Element {
  const root = newElement('', '');
  const open = [root];
  let end = 0;
  for (const match of xml.matchAll(
    /<(\/)?([\w:]+)((?:\s+[\w:]+="[^"<]*")*)\s*(\/)?>|<\?xml [^>]*\?>/g,
  )) {
    const top = open.at(-1);
    if (!top) throw new Error(`More ends than starts before ${match.index}`);
    const between = xml.slice(end, match.index);
    if (/[<>]/.test(between)) throw new Error(`Not well-formed: ${between}`);
    top.text += between;
    end = match.index + match[0].length;
    const [, closes, name, attributes = '', isEmpty] = match;
    if (name === undefined) continue;
    if (closes !== undefined) {
      if (top.name !== name) throw new Error(`</${name}> ends <${top.name}>`);
      open.pop();
      continue;
    }
    const element = newElement(name, attributes);
    top.children.push(element);
    if (isEmpty === undefined) open.push(element);
  }
  const [first] = root.children;
  if (!first || open.length > 1 || root.children.length > 1) throw new Error('Not one element');
  return first;
}

const newElement = (name: string, attributes: string) => ({
  name,
  attributes: Object.fromEntries(
    [...attributes.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
  ),
  children: [] as Element[],
  text: '',
});

/** All elements of a name, wherever in it they are. */
export const allIn = (element: Element, name: string): readonly Element[] => [
  ...(element.name === name ? [element] : []),
  ...element.children.flatMap((child) => allIn(child, name)),
];
