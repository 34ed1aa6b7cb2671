import type { OtherDocument } from '../../project/model.ts';
import { count, listWords } from './printable.ts';

/** What is valid but goes nowhere yet, so that nobody waits for it; no line where there is nothing of it. */
export function notPlannedYet(others: readonly OtherDocument[]): string[] {
  const amountOf = (kind: OtherDocument['kind']): number =>
    others.filter((other) => other.kind === kind).length;
  const words = (['Schedule', 'Webhook'] as const).flatMap((kind) =>
    amountOf(kind) > 0 ? [count(amountOf(kind), `${kind} document`)] : [],
  );
  const exemptions = amountOf('Exemption');
  return [
    ...(words.length > 0 ? [`Checked, but not planned yet: ${listWords(words)}.`] : []),
    ...(exemptions > 0
      ? [
          `${count(exemptions, 'Exemption document')}: for \`govctl check\`, not applied to a server; \`govctl exemption create\` makes one there.`,
        ]
      : []),
  ];
}
