import type { OtherDocument } from '../../project/model.ts';
import { count, listWords } from './printable.ts';

/** What is valid but goes nowhere yet, so that nobody waits for it; no line where there is nothing of it. */
export function notPlannedYet(others: readonly OtherDocument[]): string[] {
  const words = (['Schedule', 'Webhook', 'Exemption'] as const).flatMap((kind) => {
    const amount = others.filter((other) => other.kind === kind).length;
    return amount > 0 ? [count(amount, `${kind} document`)] : [];
  });
  return words.length > 0 ? [`Checked, but not planned yet: ${listWords(words)}.`] : [];
}
