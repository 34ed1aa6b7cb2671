import * as z from 'zod';

/** The one shape of an error answer. Loose: the contract adds fields to some errors, another server to any. */
export const ErrorBody = z.looseObject({
  error: z.string(),
  error_code: z.string().optional(),
  error_description: z.string().optional(),
  /** What to do next, in one sentence. */
  hint: z.string().optional(),
  message: z.string().optional(),
  details: z.array(z.looseObject({ field: z.string(), message: z.string() })).optional(),
  timestamp: z.string().optional(),
  request_id: z.string().optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
