import { defined } from '../../contract/defined.ts';
import { readKeyTag } from '../../contract/key-tag.ts';
import type { PolicyInput } from '../../contract/policies.ts';
import type { EvaluatedPolicy } from '../../engine/evaluate.ts';
import type { StoredPolicy } from '../policies/collection.ts';

/** A stored policy as findings and exemptions refer to it. Stored fields come from a valid input, with its defaults. */
export const namedPolicy = (doc: StoredPolicy): EvaluatedPolicy => ({
  policy: doc as StoredPolicy & PolicyInput,
  id: doc.id,
  ...defined({ key: readKeyTag(doc.tags ?? []).key }),
});
