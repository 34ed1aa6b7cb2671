import * as z from 'zod';

/** Decimal, with all digits. */
export const Money = z.string().regex(/^-?\d+(\.\d+)?$/);
/**
 * An amount as people read it: two digits after the point, thousands apart: `1,234.50`. Half a cent is rounded away from zero.
 * @param amount a decimal with all digits
 */
export function showMoney(amount: string, currency?: string): string {
  const [, sign = '', whole = '0', after = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const padded = `${after}000`;
  const cents = BigInt(whole + padded.slice(0, 2)) + (padded.charAt(2) >= '5' ? 1n : 0n);
  const digits = String(cents).padStart(3, '0');
  const units = digits.slice(0, -2).replace(/\B(?=(?:\d{3})+$)/g, ',');
  const text = `${cents === 0n ? '' : sign}${units}.${digits.slice(-2)}`;
  return currency === undefined ? text : `${text} ${currency}`;
}
