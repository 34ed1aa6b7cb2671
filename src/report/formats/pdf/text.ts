import { visibleText } from '../visible-text.ts';
import type { PdfkitFont } from './pdfkit-inside.ts';
import type { Face, Fonts, Glyph } from './fonts.ts';

/** A run in one font. */
export interface Segment {
  readonly font: PdfkitFont;
  readonly hex: string;
  /** Thousandths of the size, as all widths here. */
  readonly width: number;
  readonly actual?: string;
}

export interface Line {
  readonly segments: readonly Segment[];
  readonly width: number;
}

export interface Typesetter {
  readonly fonts: Fonts;
  /**
   * Lines no wider than `width` points. Broken at spaces but no-break ones, between Han characters, and within words that are wider
   * than a line, after a sign if there is one. Line ends of the text are kept.
   */
  lines(text: string, face: Face, size: number, width: number): readonly Line[];
  /** One line, however long. */
  line(text: string, face: Face): Line;
  /** One line that ends in … where it would be wider than `width` points. */
  cut(text: string, face: Face, size: number, width: number): Line;
  /** Points. */
  width(text: string, face: Face, size: number): number;
}

/** What is set once more, as in names that come back; each is emptied when it is full. */
const most = { words: 4_000, texts: 2_000, textLength: 400 };

const ideograph = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef`;
const pieces = new RegExp(String.raw`[${ideograph}]|(?:[^\s${ideograph}]|\u00a0)+|\s+`, 'gu');
const hasKana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const plain = /^[\x20-\x7e]*$/;
const lineEnd = /\r\n|[\n\r\u0085\u2028\u2029]/;
const signs = new Set(Array.from('/:-_.,;?&=@|+~)]}', (sign) => sign.codePointAt(0)));

interface Word extends Line {
  /** Its letters, for breaking it. */
  readonly letters: () => readonly Letter[];
}

interface Letter {
  readonly codePoint: number;
  readonly glyph: Glyph;
}

interface Piece {
  readonly text: string;
  readonly spaced: boolean;
}

export function createTypesetter(fonts: Fonts): Typesetter {
  const words = new Map<string, Word>();
  const texts = new Map<string, readonly Line[]>();

  const word = (text: string, face: Face, kana: boolean): Word => {
    const key = `${face}${kana ? '+' : ' '}${text}`;
    let known = words.get(key);
    if (!known) {
      if (words.size >= most.words) words.clear();
      words.set(key, (known = setWord(fonts, text, face, kana)));
    }
    return known;
  };

  const set = (text: string, face: Face, limit: number): readonly Line[] => {
    const kana = hasKana.test(text);
    const visible = plain.test(text) ? text : visibleText(text);
    const space = word(' ', face, false);
    return visible.split(lineEnd).flatMap((part) => {
      const filling = startFilling(limit, space);
      for (const { text: piece, spaced } of split(part))
        filling.add(word(piece, face, kana), spaced);
      return filling.end();
    });
  };

  const lines = (text: string, face: Face, size: number, width: number): readonly Line[] => {
    const limit = (width * 1000) / size;
    // Ids hardly come back.
    if (text.length > most.textLength || face === 'mono') return set(text, face, limit);
    const key = `${face}${limit} ${text}`;
    let known = texts.get(key);
    if (!known) {
      if (texts.size >= most.texts) texts.clear();
      texts.set(key, (known = set(text, face, limit)));
    }
    return known;
  };

  const line = (text: string, face: Face): Line =>
    set(text.split(lineEnd).join(' '), face, Infinity)[0] ?? { segments: [], width: 0 };

  return {
    fonts,
    lines,
    line,
    cut(text, face, size, width) {
      const whole = line(text, face);
      if ((whole.width * size) / 1000 <= width) return whole;
      const dots = line('…', face);
      const [first] = set(text.split(lineEnd).join(' '), face, (width * 1000) / size - dots.width);
      return joinSegments([...(first?.segments ?? []), ...dots.segments]);
    },
    width: (text, face, size) => (line(text, face).width * size) / 1000,
  };
}

function split(text: string): readonly Piece[] {
  if (plain.test(text)) {
    return text
      .split(' ')
      .flatMap((piece, n) => (piece === '' ? [] : [{ text: piece, spaced: n > 0 }]));
  }
  const found: Piece[] = [];
  let spaced = false;
  for (const piece of text.match(pieces) ?? []) {
    if (piece.trim() === '') spaced = true;
    else {
      found.push({ text: piece, spaced });
      spaced = false;
    }
  }
  return found;
}

function setWord(fonts: Fonts, text: string, face: Face, kana: boolean): Word {
  const letters = (): readonly Letter[] => {
    const found: Letter[] = [];
    for (const letter of text) {
      const codePoint = letter.codePointAt(0) ?? 0;
      const glyph = fonts.glyph(face, codePoint, kana);
      if (glyph) found.push({ codePoint, glyph });
    }
    return found;
  };
  return { ...joinLetters(letters()), letters };
}

/** Neighbours in one font become one run; what stands for something else stays apart. */
function joinLetters(letters: readonly Letter[]): Line {
  const segments: Segment[] = [];
  let width = 0;
  for (let from = 0; from < letters.length;) {
    const first = letters[from]?.glyph;
    if (!first) break;
    const hexes: string[] = [];
    let actual = '';
    let own = 0;
    let at = from;
    for (; at < letters.length; at++) {
      const glyph = letters[at]?.glyph;
      if (glyph?.font !== first.font || !glyph.actual !== !first.actual) break;
      hexes.push(glyph.hex);
      own += glyph.width;
      actual += glyph.actual ?? '';
    }
    from = at;
    width += own;
    segments.push({ font: first.font, hex: hexes.join(''), width: own, ...(actual && { actual }) });
  }
  return { segments, width };
}

/** The same of runs that are set already. */
function joinSegments(parts: readonly Segment[]): Line {
  const segments: Segment[] = [];
  let width = 0;
  for (const part of parts) {
    width += part.width;
    const last = segments.at(-1);
    if (last?.font === part.font && (last.actual === undefined) === (part.actual === undefined)) {
      segments[segments.length - 1] = {
        font: last.font,
        hex: last.hex + part.hex,
        width: last.width + part.width,
        ...(last.actual !== undefined && { actual: last.actual + (part.actual ?? '') }),
      };
    } else segments.push(part);
  }
  return { segments, width };
}

interface Filling {
  add(word: Word, spaced: boolean): void;
  end(): readonly Line[];
}

function startFilling(limit: number, space: Word): Filling {
  const done: Line[] = [];
  let segments: Segment[] = [];
  let width = 0;
  const finish = (): void => {
    done.push(joinSegments(segments));
    segments = [];
    width = 0;
  };
  const put = (word: Line): void => {
    segments.push(...word.segments);
    width += word.width;
  };
  return {
    add(word, spaced) {
      const gap = spaced && segments.length > 0 ? space.width : 0;
      if (width + gap + word.width <= limit) {
        if (gap > 0) put(space);
        put(word);
        return;
      }
      // What has to be broken anyway, or goes on after a sign, stays on its line: an id with Han characters in it is one word
      // to its reader.
      const isPart = !spaced && (word.width > limit || signs.has(word.letters()[0]?.codePoint));
      const goesOn = isPart && width < (limit * 2) / 3;
      if (segments.length > 0 && !goesOn) finish();
      if (width + word.width <= limit) return void put(word);
      const chunks = breakWord(word, limit, limit - width);
      for (const [n, chunk] of chunks.entries()) {
        put(chunk);
        if (n < chunks.length - 1) finish();
      }
    },
    end() {
      finish();
      return done;
    },
  };
}

/** Each as long as fits, and at least one letter; cut after a sign if one is in the second half. */
function breakWord(word: Word, limit: number, first: number): readonly Line[] {
  const letters = word.letters();
  const chunks: Line[] = [];
  let from = 0;
  while (from < letters.length) {
    let end = from;
    let width = 0;
    while (end < letters.length) {
      width += letters[end]?.glyph.width ?? 0;
      if (width > (from === 0 ? first : limit) && end > from) break;
      end++;
    }
    if (end < letters.length) end = signBefore(letters, from, end);
    chunks.push(joinLetters(letters.slice(from, end)));
    from = end;
  }
  return chunks;
}

function signBefore(letters: readonly Letter[], from: number, end: number): number {
  for (let at = end; at > from + (end - from) / 2; at--) {
    if (signs.has(letters[at - 1]?.codePoint)) return at;
  }
  return end;
}
