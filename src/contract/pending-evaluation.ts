import * as z from 'zod';

/**
 * What changes have left to evaluate, so that violations and scores may be those before; absent where that is nothing. An
 * extension of our server. What is evaluated every hour, as time goes on, is not pending.
 */
export const PendingEvaluation = z.looseObject({
  /** Policies that are not evaluated on all their resources. */
  policies: z.int(),
  /** Policies times the resources on which they are not evaluated. */
  evaluations: z.int(),
});
export type PendingEvaluation = z.infer<typeof PendingEvaluation>;
