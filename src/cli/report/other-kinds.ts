import type { OtherDocument, OtherKind } from '../../project/model.ts';
import { count, listWords } from './printable.ts';

/** What is valid but goes nowhere yet, so that nobody waits for it; no line where there is nothing of it. */
export const notPlannedYet = (others: readonly OtherDocument[]): string[] =>
  note('Checked, but not planned yet', others, ['Schedule', 'Webhook', 'Exemption']);

export const notRunYet = (others: readonly OtherDocument[]): string[] =>
  note('Checked, but not run yet', others, ['PolicyTest']);

function note(
  what: string,
  others: readonly OtherDocument[],
  kinds: readonly OtherKind[],
): string[] {
  const words = kinds.flatMap((kind) => {
    const amount = others.filter((other) => other.kind === kind).length;
    return amount > 0 ? [count(amount, `${kind} document`)] : [];
  });
  return words.length > 0 ? [`${what}: ${listWords(words)}.`] : [];
}
