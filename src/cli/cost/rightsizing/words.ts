import { inThrees } from '../../terminal/printable.ts';
import type { Style } from '../../terminal/terminal.ts';
import type { Risk } from '../../../contract/rightsizing.ts';

const barWidth = 6;

/** Percent as a bar: `##.... 33%`. @param assumed where it was not measured */
export function usage(measured: number | undefined, assumed?: number): string {
  const percent = measured ?? assumed;
  if (percent === undefined) return '-';
  const full = Math.min(barWidth, Math.round((percent / 100) * barWidth));
  const bar = '#'.repeat(full).padEnd(barWidth, '.');
  return `${bar} ${String(Math.round(percent)).padStart(3)}%${measured === undefined ? '?' : ''}`;
}

/** A decimal with two digits after the point, cut off. */
export function money(amount: string): string {
  const [, sign = '', whole = '', digits = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  return `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}.${digits.slice(0, 2).padEnd(2, '0')}`;
}

export function paintRisk(text: string, risk: Risk | undefined, style: Style): string {
  if (risk === 'high') return style.red(text);
  return risk === 'medium' ? style.yellow(text) : text;
}

export const gib = (amount: number): string => `${amount} GiB`;
export const share = (of: number): string => `${Math.round(of * 1_000) / 10}%`;
export const vcpus = (amount: number): string =>
  `${inThrees(amount)} vCPU${amount === 1 ? '' : 's'}`;
