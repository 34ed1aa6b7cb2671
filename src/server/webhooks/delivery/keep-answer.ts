import type { Tx, Where } from '../../store/store.ts';
import { answers } from './collection.ts';
import type { StoredAnswer } from './collection.ts';

/** Answers over one KiB, 64 KiB at most, that are kept. */
export interface KeptAnswers {
  readonly ofWebhook: number;
  readonly inAll: number;
}
const defaultKept: KeptAnswers = { ofWebhook: 100, inAll: 1_000 };

/** The newest ones, of its webhook and of all; those before are cut to what their attempts hold. */
export async function keepAnswer(
  tx: Tx,
  answer: StoredAnswer,
  kept: KeptAnswers = defaultKept,
): Promise<void> {
  await tx.insert(answers, answer);
  await removeOldest(tx, { webhook: { any: [answer.webhook_id] } }, kept.ofWebhook);
  await removeOldest(tx, {}, kept.inAll);
}

async function removeOldest(
  tx: Tx,
  where: Readonly<Record<string, Where>>,
  most: number,
): Promise<void> {
  const oldest = { where, orderBy: 'at', direction: 'asc', limit: 10 } as const;
  const { rows, total } = await tx.page(answers, oldest);
  for (const { doc } of rows.slice(0, Math.max(0, total - most))) {
    await tx.remove(answers, doc.id);
  }
}
