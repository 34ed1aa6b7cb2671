import type { Tone } from '../../model.ts';
import { toneOfStatus } from '../tones.ts';
import { paintsOnWhite } from '../../charts/paints.ts';

export const ink = {
  text: paintsOnWhite.text,
  muted: paintsOnWhite.muted,
  accent: '#1f4468',
  link: '#1b5a96',
  rule: '#c3ccd5',
  hairline: '#e1e6eb',
  zebra: '#f5f7f9',
  head: '#e9eef3',
  watermark: '#8b97a3',
} as const;

export const tones: Readonly<Record<Tone, { readonly ink: string; readonly ground: string }>> = {
  good: { ink: '#23633f', ground: '#edf6f0' },
  bad: { ink: '#8f1d2c', ground: '#fbeff0' },
  warn: { ink: '#7d5200', ground: '#fdf6e7' },
  neutral: { ink: '#1f4468', ground: '#eff4f9' },
};

const words: Readonly<Record<string, string>> = {
  critical: '#8f1d2c',
  high: '#b0431f',
  medium: '#7d5200',
  low: '#2c5f8d',
  info: paintsOnWhite.muted,
};

/** The colour of a severity or of a status. */
export function inkOfWord(word: string): string {
  const key = word.toLowerCase();
  if (Object.hasOwn(words, key)) return words[key] ?? ink.text;
  const tone = toneOfStatus(word);
  return tone === undefined ? ink.text : tones[tone].ink;
}

/** As operands of `rg` and `RG`. */
export function rgb(colour: string): string {
  let text = rgbTexts.get(colour);
  if (text === undefined) {
    const part = (at: number): string =>
      String(Math.round((parseInt(colour.slice(at, at + 2), 16) / 255) * 1000) / 1000);
    rgbTexts.set(colour, (text = `${part(1)} ${part(3)} ${part(5)}`));
  }
  return text;
}
const rgbTexts = new Map<string, string>();
