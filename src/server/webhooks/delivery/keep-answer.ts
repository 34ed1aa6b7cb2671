import type { Tx } from '../../store/store.ts';
import { answers } from './collection.ts';
import type { StoredAnswer } from './collection.ts';

/** Answers over one KiB that are kept for each webhook. */
const most = 100;

/** The newest ones of a webhook; those before are cut to what their attempts hold. */
export async function keepAnswer(tx: Tx, answer: StoredAnswer): Promise<void> {
  await tx.insert(answers, answer);
  const where = { webhook: { any: [answer.webhook_id] } };
  const oldest = { where, orderBy: 'at', direction: 'asc', limit: 10 } as const;
  const { rows, total } = await tx.page(answers, oldest);
  for (const { doc } of rows.slice(0, Math.max(0, total - most))) {
    await tx.remove(answers, doc.id);
  }
}
