import * as z from 'zod';
import { FrameworkId, FrameworkInput } from '../../contract/frameworks.ts';
import { ownTags } from './policy.ts';

const { name, version, controls } = FrameworkInput.shape;

/** A framework of one's own, or texts for the controls of a built-in one. Its ID is its key. */
export const FrameworkDocument = z.strictObject({
  kind: z.literal('Framework'),
  /** How labels name it, whatever the case. */
  id: FrameworkId,
  name,
  version: version.unwrap().unwrap().optional(),
  tags: ownTags.optional(),
  controls,
});
export type FrameworkDocument = z.infer<typeof FrameworkDocument>;
