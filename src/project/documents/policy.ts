import { z } from 'zod';
import { PolicyInput } from '../../contract/policies.ts';
import { keyPattern, maxKeyLength } from '../key.ts';

/** A policy in a file: what the API takes, and what only a repo needs. */
export const PolicyDocument = z.strictObject({
  kind: z.literal('Policy').optional(),
  key: z
    .string()
    .max(maxKeyLength)
    .regex(
      keyPattern,
      'must be a slug: lower-case letters and digits, parts joined by - . or _, such as s3-encryption',
    )
    .optional(),
  ...PolicyInput.shape,
});
export type PolicyDocument = z.infer<typeof PolicyDocument>;
