import type { OtherDocument } from '../../project/model.ts';
import { count } from '../terminal/printable.ts';

/** What is valid but goes to no server, so that nobody waits for it; no line where there is nothing of it. */
export function notPlanned(others: readonly OtherDocument[]): string[] {
  const exemptions = others.filter(({ kind }) => kind === 'Exemption').length;
  return [
    ...(exemptions > 0
      ? [
          `${count(exemptions, 'Exemption document')}: for \`govctl check\`, not applied to a server; \`govctl exemption create\` makes one there.`,
        ]
      : []),
  ];
}
