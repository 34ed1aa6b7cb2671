import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FontFile, Pdfkit, PdfkitFont } from './pdfkit-inside.ts';

/** Tables are set in the narrow ones. */
export type Face = 'sans' | 'bold' | 'narrow' | 'narrowBold' | 'mono';
type FontName = Face | 'han' | 'kana' | 'hangul';

/** Paths within packages. */
const files: Readonly<Record<FontName, string>> = {
  sans: 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  bold: 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
  narrow: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  narrowBold: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
  mono: 'dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf',
  han: '@expo-google-fonts/zcool-xiaowei/400Regular/ZCOOLXiaoWei_400Regular.ttf',
  kana: '@expo-google-fonts/sawarabi-gothic/400Regular/SawarabiGothic_400Regular.ttf',
  hangul: '@expo-google-fonts/gowun-dodum/400Regular/GowunDodum_400Regular.ttf',
};

/** One character as it is drawn. */
export interface Glyph {
  readonly font: PdfkitFont;
  /** Operand of `Tj`, without its brackets. */
  readonly hex: string;
  /** In thousandths of the size. */
  readonly width: number;
  /** What it stands for, where what is drawn doesn't say: a box in place of a character that no font has. */
  readonly actual?: string;
}

export interface Fonts {
  /** @param kana whether the text it is part of is Japanese: Han characters look otherwise there */
  glyph(face: Face, codePoint: number, kana: boolean): Glyph | null;
}

/** Nothing is drawn for these: joiners, and selectors of a variant. What else can't be seen is spelled out. */
const isInvisible = (codePoint: number): boolean =>
  codePoint === 0x200c || codePoint === 0x200d || (codePoint >= 0xfe00 && codePoint <= 0xfe0f);

/** Their letters join or go from right to left: drawn one by one they would mislead. */
const needsShaping =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const isKana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const isHangul = /\p{Script=Hangul}/u;

const box = 0x25a1;

/** Fonts that were read, for later documents: reading and taking apart megabytes is most of a short report's time. */
const read = new Map<FontName, FontFile>();

/** Fonts of a document; each is read when the first text needs it. */
export function createFonts(doc: Pdfkit): Fonts {
  const { resolve } = createRequire(import.meta.url);
  const opened = new Map<FontName, PdfkitFont>();
  const font = (name: FontName): PdfkitFont => {
    let known = opened.get(name);
    if (!known) {
      doc.font(read.get(name) ?? readFileSync(resolve(files[name])));
      opened.set(name, (known = doc._font));
      read.set(name, known.font);
    }
    return known;
  };
  const draw = (name: FontName, codePoint: number): Glyph | undefined => {
    const used = font(name);
    if (!used.font.hasGlyphForCodePoint(codePoint)) return undefined;
    // Not by pdfkit's own encode: the letters that fontkit says a glyph stands for are those of whoever asked first,
    // which may have been an earlier document, and for a part of another glyph they are none.
    const glyph = used.font.glyphForCodePoint(codePoint);
    const id = used.subset.includeGlyph(glyph.id);
    const width = glyph.advanceWidth * used.scale;
    used.widths[id] = width;
    used.unicode[id] = [codePoint];
    return { font: used, hex: id.toString(16).padStart(4, '0'), width };
  };
  const stand = (codePoint: number, actual: string): Glyph | null => {
    const drawn = draw('sans', codePoint);
    return drawn ? { ...drawn, actual } : null;
  };
  const find = (face: Face, codePoint: number, kana: boolean): Glyph | null => {
    if (isInvisible(codePoint)) return null;
    const text = String.fromCodePoint(codePoint);
    if (needsShaping.test(text)) return stand(box, text);
    for (const name of candidates(face, text, kana)) {
      const glyph = draw(name, codePoint);
      if (glyph) return glyph;
    }
    return stand(box, text);
  };
  const known = new Map<Face, Known>();
  return {
    glyph(face, codePoint, kana) {
      let glyphs = known.get(face);
      if (!glyphs) known.set(face, (glyphs = new Map()));
      const key = kana ? -codePoint : codePoint;
      let glyph = glyphs.get(key);
      if (glyph === undefined) glyphs.set(key, (glyph = find(face, codePoint, kana)));
      return glyph;
    },
  };
}

type Known = Map<number, Glyph | null>;

function candidates(face: Face, text: string, kana: boolean): readonly FontName[] {
  const latin: readonly FontName[] = face === 'sans' ? ['sans'] : [face, 'sans'];
  if ((text.codePointAt(0) ?? 0) < 0x1100) return latin;
  if (isHangul.test(text)) return ['hangul'];
  if (isKana.test(text)) return ['kana', 'han'];
  return [
    ...latin,
    ...(kana ? (['kana', 'han', 'hangul'] as const) : (['han', 'kana', 'hangul'] as const)),
  ];
}
