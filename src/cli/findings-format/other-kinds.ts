import type { OtherDocument } from '../../project/model.ts';
import { count } from '../printable.ts';

/** What is valid but goes nowhere yet, so that nobody waits for it; no line where there is nothing of it. */
export function notPlannedYet(others: readonly OtherDocument[]): string[] {
  const amountOf = (kind: OtherDocument['kind']): number =>
    others.filter((other) => other.kind === kind).length;
  const schedules = amountOf('Schedule');
  const exemptions = amountOf('Exemption');
  return [
    ...(schedules > 0
      ? [`Checked, but not planned yet: ${count(schedules, 'Schedule document')}.`]
      : []),
    ...(exemptions > 0
      ? [
          `${count(exemptions, 'Exemption document')}: for \`govctl check\`, not applied to a server; \`govctl exemption create\` makes one there.`,
        ]
      : []),
  ];
}
