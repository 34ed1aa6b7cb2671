import { InvalidArgumentError } from 'commander';

/** A share from 0 to 100, with or without the sign. */
export function parsePercent(text: string): number {
  const percent = Number(text.replace(/%$/, ''));
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
  throw new InvalidArgumentError('must be a number from 0 to 100.');
}
