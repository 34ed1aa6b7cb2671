import * as z from 'zod';
import { BudgetInput } from '../../contract/budgets.ts';
import { key, ownTags } from './policy.ts';

/** A budget in a file. Two never have one name. */
export const BudgetDocument = z.strictObject({
  kind: z.literal('Budget'),
  key,
  ...BudgetInput.shape,
  tags: ownTags.optional(),
});
export type BudgetDocument = z.infer<typeof BudgetDocument>;
