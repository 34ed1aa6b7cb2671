import { showMoney } from '../../contract/money.ts';
import type { Block } from '../model.ts';
import { paragraph } from './blocks.ts';
import type { Money } from './cost-facts.ts';
import { listed } from './wording.ts';

/** `1,234.50 USD and 20.00 EUR`. */
export const moneyText = (sums: readonly Money[]): string =>
  listed(sums.map(({ amount, currency }) => showMoney(amount, currency)));

/** `from 2026-01-01 to 2026-01-31`, the last day included. */
export const daysText = (first: string, last: string): string =>
  first === last ? `on ${first}` : `from ${first} to ${last}`;

export const noCharges: readonly Block[] = [
  paragraph('No cost data has been imported, so costs are unknown.'),
];
