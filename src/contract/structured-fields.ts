/**
 * The part of Structured Fields (RFC 9651) that signatures and digests are written in: dictionaries of items and inner
 * lists. Stricter than the RFC where it lets readers choose: a key that is duplicated is an error, not the last one.
 */

/** A word without quotes. */
export class Token {
  constructor(readonly word: string) {}
}

type BareItem = string | number | boolean | Token | Uint8Array;
type Params = ReadonlyMap<string, BareItem>;

export interface Item {
  readonly value: BareItem;
  readonly params: Params;
}

export interface InnerList {
  readonly items: readonly Item[];
  readonly params: Params;
}

export type Dictionary = ReadonlyMap<string, Item | InnerList>;

/** @returns why the text is none, as a string */
export function parseDictionary(text: string): Dictionary | string {
  try {
    return new Reader(text).dictionary();
  } catch (error) {
    if (error instanceof NotStructured) return error.message;
    throw error;
  }
}

export const isInnerList = (member: Item | InnerList): member is InnerList => 'items' in member;

export const formatInnerList = ({ items, params }: InnerList): string =>
  `(${items.map(formatItem).join(' ')})${formatParams(params)}`;

const formatItem = ({ value, params }: Item): string => formatBare(value) + formatParams(params);

const formatParams = (params: Params): string =>
  [...params]
    .map(([key, value]) => (value === true ? `;${key}` : `;${key}=${formatBare(value)}`))
    .join('');

function formatBare(value: BareItem): string {
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? '?1' : '?0';
  return value instanceof Token ? value.word : formatBytes(value);
}

export const formatBytes = (bytes: Uint8Array): string =>
  `:${btoa(String.fromCharCode(...bytes))}:`;

class NotStructured extends Error {}

/** What a value begins with, and how it goes on. Decimals and dates are in nothing that is read here. */
const bareItems: readonly [RegExp, (match: string) => BareItem][] = [
  [/"(?:[ !#-[\]-~]|\\["\\])*"/y, (match) => match.slice(1, -1).replace(/\\(.)/g, '$1')],
  [/:(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?:/y, readBytes],
  [/-?\d{1,15}(?![\d.])/y, Number],
  [/[A-Za-z*][!#$%&'*+\-.^_`|~\w:/]*/y, (match) => new Token(match)],
  [/\?[01]/y, (match) => match === '?1'],
];

function readBytes(match: string): Uint8Array {
  return Uint8Array.from(atob(match.slice(1, -1)), (character) => character.charCodeAt(0));
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  dictionary(): Dictionary {
    const members = new Map<string, Item | InnerList>();
    this.take(/ */y);
    while (this.at < this.text.length) {
      const key = this.key();
      if (members.has(key)) throw new NotStructured(`"${key.slice(0, 60)}" is duplicated`);
      members.set(key, this.takes('=') ? this.member() : { value: true, params: this.params() });
      this.take(/[ \t]*/y);
      if (this.at === this.text.length) break;
      this.expect(',');
      this.take(/[ \t]*/y);
      if (this.at === this.text.length) throw new NotStructured('the field ends with a comma');
    }
    return members;
  }

  private member(): Item | InnerList {
    return this.takes('(') ? this.innerList() : this.item();
  }

  private innerList(): InnerList {
    const items: Item[] = [];
    for (;;) {
      const gap = this.take(/ */y);
      if (this.takes(')')) return { items, params: this.params() };
      if (items.length > 0 && gap === '') throw this.unexpected('a space or ")"');
      items.push(this.item());
    }
  }

  private item(): Item {
    return { value: this.bareItem(), params: this.params() };
  }

  private bareItem(): BareItem {
    for (const [pattern, read] of bareItems) {
      const match = this.take(pattern);
      if (match !== undefined) return read(match);
    }
    throw this.unexpected('a string in quotes, an integer, a token or bytes between colons');
  }

  private params(): Params {
    const params = new Map<string, BareItem>();
    while (this.takes(';')) {
      this.take(/ */y);
      const key = this.key();
      if (params.has(key)) throw new NotStructured(`";${key.slice(0, 60)}" is duplicated`);
      params.set(key, this.takes('=') ? this.bareItem() : true);
    }
    return params;
  }

  private key(): string {
    const key = this.take(/[a-z*][a-z0-9_.*-]*/y);
    if (key === undefined) throw this.unexpected('a lowercase name');
    return key;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text)?.[0];
    if (match !== undefined) this.at += match.length;
    return match;
  }

  private takes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private expect(character: string): void {
    if (!this.takes(character)) throw this.unexpected(`"${character}"`);
  }

  private unexpected(wanted: string): NotStructured {
    return new NotStructured(`${wanted} is expected at character ${this.at + 1}`);
  }
}
