import type { ControlPolicy } from '../../contract/frameworks.ts';
import { isTypePattern, matchesType, typeKey } from '../../contract/resources.ts';
import { nextTurn } from '../next-turn.ts';
import { createPace } from '../pace.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { outcomes, standings } from '../posture/collection.ts';
import { resourceCounts } from '../posture/service.ts';
import { countRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { violations } from '../violations/collection.ts';

/** What is asked for, and by whom. */
export interface Asked {
  readonly reader: Reader;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Only what is in this account. */
  readonly account?: string | undefined;
}

/** Policies whose rows are counted between two turns of others: a millisecond or two. */
const policiesPerTurn = 10;

/** The latest outcomes of an enabled policy; the same object for the same policy. */
export type TallyOf = (policy: StoredPolicy) => Promise<ControlPolicy>;

/** Counts in turns: its cost depends on how many policies, accounts and types there are, not on how many resources. */
export async function createTallies({ reader, signal, account }: Asked): Promise<TallyOf> {
  const where = account === undefined ? {} : { account_id: { any: [account] } };
  const totals = new Map<string, number>();
  for await (const types of resourceCounts(reader, where)) {
    for (const [type, n] of Object.entries(types)) totals.set(type, (totals.get(type) ?? 0) + n);
  }
  const byPattern = new Map<string, number>();
  const pace = createPace(signal);
  const tallies = new Map<string, ControlPolicy>();

  async function resourcesOf(type: string): Promise<number> {
    if (!isTypePattern(type)) return totals.get(typeKey(type)) ?? 0;
    let sum = byPattern.get(type);
    if (sum === undefined) {
      sum = 0;
      for (const [one, n] of totals) {
        await pace.spend(1);
        if (matchesType(type, one)) sum += n;
      }
      byPattern.set(type, sum);
    }
    return sum;
  }

  async function count(policy: StoredPolicy): Promise<ControlPolicy> {
    const { id, name, severity = 'MEDIUM', resource_type: type } = policy;
    const own = { ...where, policy_id: { any: [id] } };
    const resources = await resourcesOf(type);
    const open = await countRows(reader, violations, { ...own, status: { any: ['OPEN'] } });
    const state = (await reader.get(standings, id))?.doc.state ?? 'pending';
    const about = { id, name, severity, open };
    if (state === 'pending') {
      const none = { evaluated: 0, pass: 0, fail: 0, error: 0, exempt: 0 };
      return { ...about, ...none, pending: resources > 0 };
    }
    const evaluated = { ...about, evaluated: resources, pending: false };
    // It is not evaluated any more, so that nothing of it is known.
    if (state === 'quarantined')
      return { ...evaluated, pass: 0, fail: 0, error: resources, exempt: 0 };
    const countOf = async (status: 'FAIL' | 'ERROR' | 'EXEMPT'): Promise<number> =>
      countRows(reader, outcomes, { ...own, status: { any: [status] } });
    const isMet = (await countRows(reader, outcomes, own)) === 0;
    const [fail, error, exempt] = isMet
      ? [0, 0, 0]
      : [await countOf('FAIL'), await countOf('ERROR'), await countOf('EXEMPT')];
    // A change may have come in between two of these countings.
    const pass = Math.max(0, resources - fail - error - exempt);
    return { ...evaluated, evaluated: pass + fail + error + exempt, pass, fail, error, exempt };
  }

  return async (policy) => {
    const known = tallies.get(policy.id);
    if (known) return known;
    signal.throwIfAborted();
    const tally = await count(policy);
    tallies.set(policy.id, tally);
    if (tallies.size % policiesPerTurn === 0) await nextTurn();
    return tally;
  };
}
