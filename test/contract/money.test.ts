import { expect, it } from 'vitest';
import { showMoney } from '../../src/contract/money.ts';

it.each([
  ['0', '0.00 USD'],
  ['1234.5', '1,234.50 USD'],
  ['0.005', '0.01 USD'],
  ['0.00499', '0.00 USD'],
  ['-0.004', '0.00 USD'],
  ['-1234.565', '-1,234.57 USD'],
  ['999999999999.995', '1,000,000,000,000.00 USD'],
])('shows %s as %s', (amount, shown) => {
  expect(showMoney(amount, 'USD')).toBe(shown);
});
