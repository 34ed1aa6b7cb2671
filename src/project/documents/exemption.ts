import * as z from 'zod';
import { ExemptionInput } from '../../contract/exemptions.ts';
import { key, name, ownTags } from './policy.ts';

/** Findings of one policy on some resources count as EXEMPT up to and including `expires` (UTC). */
export const ExemptionDocument = z.strictObject({
  kind: z.literal('Exemption'),
  key,
  /** For people, and to make a key of; no server has it. */
  name: name.optional(),
  ...ExemptionInput.shape,
  tags: ownTags.optional(),
});
export type ExemptionDocument = z.infer<typeof ExemptionDocument>;
