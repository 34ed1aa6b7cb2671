import * as z from 'zod';
import { PolicyInput } from '../../contract/policies.ts';
import { ownershipTagCount } from '../compare/ownership.ts';
import { keyPattern, maxKeyLength } from '../key.ts';

/** The service takes 500 tags, and govctl adds its own. */
export const ownTags = z
  .array(
    z
      .string()
      .min(1)
      .max(256)
      .regex(
        /^(?!govctl\.(?:owner|key):)/,
        'must not begin with govctl.owner: or govctl.key:, which are reserved for govctl',
      ),
  )
  .max(500 - ownershipTagCount);

/** A policy in a file: what the API takes, and what only a repo needs. */
export const PolicyDocument = z.strictObject({
  kind: z.literal('Policy').optional(),
  key: z
    .string()
    .max(maxKeyLength)
    .regex(
      keyPattern,
      'must be a slug: lowercase letters and digits, separated by - . or _, such as s3-versioning',
    )
    .optional(),
  ...PolicyInput.shape,
  tags: ownTags.optional(),
});
export type PolicyDocument = z.infer<typeof PolicyDocument>;

/** Fields that documents of several kinds have. */
export const key = PolicyDocument.shape.key;
export const name = PolicyDocument.shape.name;
export const text = z.string().min(1).max(16_384);
