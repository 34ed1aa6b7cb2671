import type { AuditHead } from '../../contract/audit-log.ts';
import { defined } from '../../contract/defined.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { TrustedKey } from '../credentials/trusted-key.ts';
import { signerLine, signerValue } from '../credentials/signer-view.ts';
import type { View } from '../terminal/output.ts';
import { count, inThrees, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import type { ChainCheck, Problem } from './check-chain.ts';

export interface Verified {
  readonly server: AuditHead;
  readonly check: ChainCheck;
  readonly problems: readonly Problem[];
  /** The key that should have signed. */
  readonly trusted: TrustedKey | undefined;
}

export const verifyView = (verified: Verified): View => {
  const { server, check, problems, trusted } = verified;
  const { head, anchor, key } = server;
  return {
    value: {
      whole: problems.length === 0,
      entries: check.count,
      ...(check.unchained > 0 ? { unchained: check.unchained } : {}),
      ...defined({ removed_up_to: anchor?.sequence }),
      head: { sequence: head.sequence, hash: head.hash, at: head.at },
      signer: signerValue(key.id, trusted),
      problems,
    },
    human: (style) => `${[...verdictLines(verified, style), ...factLines(verified)].join('\n')}\n`,
  };
};

function verdictLines({ check, problems }: Verified, style: Style): string[] {
  const entries = check.count === 1 ? '1 entry' : `${inThrees(check.count)} entries`;
  if (problems.length === 0) {
    return [
      `${style.green('✓')} The audit log is unchanged: ${entries} in an unbroken hash chain.`,
    ];
  }
  return [
    `${style.red('✗')} The audit log failed verification: ${count(problems.length, 'problem')}${check.isDone ? '; there may be more' : ''}.`,
    ...problems.map(({ message }) => `  ${style.red('-')} ${printableLine(message)}`),
  ];
}

function factLines({ server: { head, anchor, key }, check, trusted }: Verified): string[] {
  return [
    ...(check.unchained > 0
      ? [`Older    ${inThrees(check.unchained)} entries of an earlier version have no hash`]
      : []),
    ...(anchor
      ? [
          `Removed  up to entry ${inThrees(anchor.sequence)}, ${reasons[anchor.reason]}, ${printableLine(utcMinute(anchor.at))}`,
        ]
      : []),
    `Head     ${head.sequence}:${head.hash}`,
    signerLine(key.id, trusted),
  ];
}

const reasons = { retention: 'by the retention period', reset: 'by a server reset' };
