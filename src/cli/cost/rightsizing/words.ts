import type { Risk } from '../../../contract/rightsizing.ts';
import { inThrees } from '../../terminal/printable.ts';
import { bar } from '../../terminal/sparkline.ts';
import type { Glyphs } from '../../terminal/sparkline.ts';
import type { Style } from '../../terminal/terminal.ts';

const barWidth = 6;

/** Percent, and as a bar: `33% ##`. @param assumed where it was not measured */
export function usage(glyphs: Glyphs, measured: number | undefined, assumed?: number): string {
  const percent = measured ?? assumed;
  if (percent === undefined) return '-';
  const text = `${Math.round(percent)}%${measured === undefined ? '?' : ''}`;
  return `${text} ${bar(percent / 100, barWidth, glyphs)}`;
}

export function paintRisk(text: string, risk: Risk | undefined, style: Style): string {
  if (risk === 'high') return style.red(text);
  return risk === 'medium' ? style.yellow(text) : text;
}

export const gib = (amount: number): string => `${amount} GiB`;
export const share = (of: number): string => `${Math.round(of * 1_000) / 10}%`;
export const vcpus = (amount: number): string =>
  `${inThrees(amount)} vCPU${amount === 1 ? '' : 's'}`;
