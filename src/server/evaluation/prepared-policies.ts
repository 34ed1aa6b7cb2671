import { defined } from '../../contract/defined.ts';
import { readKeyTag } from '../../contract/key-tag.ts';
import type { PolicyInput } from '../../contract/policies.ts';
import { preparePolicy } from '../../engine/evaluate.ts';
import type { PreparedPolicy } from '../../engine/evaluate.ts';
import type { Log } from '../deps.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { Versioned } from '../store/store.ts';

/** Policies kept ready to run. */
const mostKept = 10_000;

/** Makes a stored policy ready to run, once for each of its revisions. */
export type PreparePolicy = (row: Versioned<StoredPolicy>) => PreparedPolicy;

/** Which revision is right is the caller's to read, in its transaction: another server may have changed the policy. */
export function createPreparedPolicies(log: Log): PreparePolicy {
  const kept = new Map<string, { readonly revision: number; readonly prepared: PreparedPolicy }>();
  return ({ doc, revision }) => {
    const known = kept.get(doc.id);
    if (known?.revision === revision) return known.prepared;
    const prepared = prepareStored(doc, log);
    if (kept.size >= mostKept) kept.clear();
    kept.set(doc.id, { revision, prepared });
    return prepared;
  };
}

function prepareStored(doc: StoredPolicy, log: Log): PreparedPolicy {
  const { key } = readKeyTag(doc.tags ?? []);
  // What a policy is stored from is an input, with its defaults.
  const policy = doc as StoredPolicy & PolicyInput;
  const given = { policy, id: doc.id, ...defined({ key }) };
  try {
    return preparePolicy(given);
  } catch (error) {
    // Conditions are checked when they come in, so this one is of another version: no verdict is no pass.
    log.error({ policy_id: doc.id, err: error }, 'a stored policy does not compile');
    const message = 'the stored condition does not compile with this version of the service';
    const rules = doc.rules.map(({ effect }, index) => ({ index, effect, message }));
    return {
      ...given,
      readsNow: false,
      decide: () => ({ status: 'ERROR', rules, reason: 'type_error' }),
    };
  }
}
