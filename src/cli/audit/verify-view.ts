import type { AuditHead } from '../../contract/audit-log.ts';
import { defined } from '../../contract/defined.ts';
import type { View } from '../terminal/output.ts';
import { count, inThrees, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import type { ChainCheck, Problem } from './check-chain.ts';

export interface Verified {
  readonly server: AuditHead;
  readonly check: ChainCheck;
  readonly problems: readonly Problem[];
  /** The ID of the key that should have signed. */
  readonly expected: string | undefined;
}

export const verifyView = (verified: Verified): View => {
  const { server, check, problems, expected } = verified;
  const { head, anchor, key } = server;
  return {
    value: {
      whole: problems.length === 0,
      entries: check.count,
      ...(check.unchained > 0 ? { unchained: check.unchained } : {}),
      ...defined({ removed_up_to: anchor?.sequence }),
      head: { sequence: head.sequence, hash: head.hash, at: head.at },
      signer: {
        key_id: key.id,
        status: expected === undefined ? 'unknown' : expected === key.id ? 'known' : 'other',
      },
      problems,
    },
    human: (style) => `${[...verdictLines(verified, style), ...factLines(verified)].join('\n')}\n`,
  };
};

function verdictLines({ check, problems }: Verified, style: Style): string[] {
  const entries = check.count === 1 ? '1 entry' : `${inThrees(check.count)} entries`;
  if (problems.length === 0) {
    return [
      `${style.green('✓')} The audit log is whole: ${entries}, each with the hash of the one before.`,
    ];
  }
  return [
    `${style.red('✗')} The audit log is not what was written: ${count(problems.length, 'problem')}${check.isDone ? ', and it was read no further' : ''}.`,
    ...problems.map(({ message }) => `  ${style.red('-')} ${printableLine(message)}`),
  ];
}

function factLines({ server: { head, anchor, key }, check, expected }: Verified): string[] {
  return [
    ...(check.unchained > 0
      ? [
          `Older    ${inThrees(check.unchained)} entries have no hash: an earlier version wrote them`,
        ]
      : []),
    ...(anchor
      ? [
          `Removed  up to entry ${inThrees(anchor.sequence)}, ${reasons[anchor.reason]}, ${printableLine(anchor.at)}`,
        ]
      : []),
    `Head     ${head.sequence}:${head.hash}`,
    `Signer   ${key.id.slice(0, 16)}…  ${signers[expected === undefined ? 'unknown' : expected === key.id ? 'known' : 'other']}`,
  ];
}

const reasons = { retention: 'as they were too old', reset: 'by a reset of the server' };

const signers = {
  unknown: 'the key that the server shows; --key FILE compares it with one you have',
  known: 'the key you gave',
  other: 'not the key you gave: another server, or one that lost its key',
};
