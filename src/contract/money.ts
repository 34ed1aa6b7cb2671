import { inThrees } from './in-threes.ts';

/**
 * An amount as people read it: `1,234.50 USD`. Rounds to two digits, half away from zero; amounts less than that show as
 * `< 0.01`.
 * @param amount a decimal with all digits
 */
export function showMoney(amount: string, currency: string): string {
  const isNegative = amount.startsWith('-');
  const [whole = '0', after = ''] = amount.replace(/^-/, '').split('.');
  const hundredths =
    BigInt(`${whole}${after.slice(0, 2).padEnd(2, '0')}`) + (/^..[5-9]/.test(after) ? 1n : 0n);
  if (hundredths === 0n && /[1-9]/.test(after)) {
    return isNegative ? `> -0.01 ${currency}` : `< 0.01 ${currency}`;
  }
  const digits = String(hundredths).padStart(3, '0');
  const shown = `${inThrees(Number(digits.slice(0, -2)))}.${digits.slice(-2)} ${currency}`;
  return isNegative && hundredths > 0n ? `-${shown}` : shown;
}
