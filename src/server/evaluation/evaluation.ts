import { createHash } from 'node:crypto';
import type { Rule } from '../../contract/policies.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { requestBudget } from '../../engine/condition/budget.ts';
import type { ConditionProblem } from '../../engine/condition/compile.ts';
import type { Verdict } from '../../engine/decide.ts';
import type { Clock, Deps } from '../deps.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { Versioned } from '../store/store.ts';
import { createQuarantine, quarantinedVerdict } from './quarantine.ts';
import type { Quarantined } from './quarantine.ts';
import type { GivenSubject, StoredSubject, Verdicts } from './verdicts.ts';
import type { Subject } from './thread/messages.ts';
import { tooBusy } from './thread/threads.ts';
import type { EvaluationThreads } from './thread/threads.ts';
import type { Asker } from '../threads/threads.ts';

/** What conditions say. Verdicts depend on rules, resource and `now` alone. */
export interface Evaluation {
  /**
   * Verdicts of stored policies over resources, in as many turns as it takes. A policy that is over its budget on many
   * of them is quarantined.
   * @param request whether it ends, with what it has, when the budget of a request is spent
   */
  ofStored(
    asker: Asker,
    question: {
      readonly now: number;
      readonly subjects: readonly StoredSubject[];
      readonly request?: boolean;
    },
  ): Promise<Verdicts>;
  /** Verdicts of any rules over resources, all of them within the budget of one request. */
  ofGiven(
    asker: Asker,
    question: { readonly now: number; readonly subjects: readonly GivenSubject[] },
  ): Promise<Verdicts>;
  readonly readsNow: EvaluationThreads['readsNow'];
  check(asker: Asker, conditions: readonly string[]): Promise<readonly (ConditionProblem | null)[]>;
}

const pass: Verdict = { status: 'PASS' };

/** Milliseconds that a request may evaluate for; its budget ends it long before, but on a busy machine. */
const requestWithin = 60_000;
/** Subjects that are evaluated before it is seen whether a policy costs too much: doubled each time. */
const fewestSubjects = 16;
const mostSubjects = 256;

export function createEvaluation(deps: Deps, threads: EvaluationThreads): Evaluation {
  const quarantine = createQuarantine(deps);
  const { clock, log } = deps;

  /** Asks until all is known, or what is left of steps or time is spent. */
  async function askAll(run: Run, subjects: readonly GivenSubject[]): Promise<void> {
    const { asker, now } = run;
    const rulesOf = new Map<string, readonly Rule[]>();
    const waiting: Subject[] = [];
    for (const { resource, rules } of subjects) {
      const its = new Set(rules.map((one) => keep(rulesOf, one)));
      if (its.size > 0) waiting.push({ resource, keys: [...its] });
    }
    /** What the next turn is sent: what it does not come to is sent again. */
    let most = fewestSubjects;
    for (let at = 0; at < waiting.length;) {
      asker.signal.throwIfAborted();
      if (clock.monotonic() >= run.until) throw tooBusy();
      if (run.left <= 0 && !run.isShared) {
        run.isSpent = true;
        return;
      }
      const asked = waiting.slice(at, at + most);
      const left = run.isShared ? { left: run.left } : {};
      const answer = await threads.decide(asker, { now, subjects: asked, rulesOf, ...left });
      for (const { key, why } of answer.broken) {
        log.error({ rules: key, reason: why }, 'stored rules do not compile');
      }
      run.left -= answer.steps;
      const { whole, rest } = keepVerdicts(run, asked, answer.verdicts);
      if (rest) waiting[at + whole] = rest;
      at += whole;
      most = Math.min(mostSubjects, Math.max(1, whole * 2));
    }
  }

  return {
    async ofStored(asker, { now, subjects, request = false }) {
      const run = newRun(asker, now, clock, request);
      const quarantined = new Map<string, Quarantined>();
      const verdicts = verdictsOf(run, quarantined);
      const isOut = (row: Versioned<StoredPolicy>): boolean => {
        const why = quarantine.whyOf(row);
        if (why) quarantined.set(sayingOf(row.doc), why);
        return why !== undefined;
      };
      let most = fewestSubjects;
      for (let at = 0; at < subjects.length && !run.isSpent; at += most, most *= 2) {
        most = Math.min(most, mostSubjects);
        const some = subjects.slice(at, at + most);
        const asked = some.map(({ resource, policies }) => ({
          resource,
          rules: policies.flatMap((row) => (isOut(row) ? [] : [row.doc.rules as Rule[]])),
        }));
        await askAll(run, asked);
        await quarantine.count(some, verdicts);
      }
      return verdicts;
    },
    async ofGiven(asker, { now, subjects }) {
      const run = { ...newRun(asker, now, clock, true), isShared: true };
      await askAll(run, subjects);
      return verdictsOf(run, new Map());
    },
    readsNow: threads.readsNow,
    check: threads.check,
  };
}

/** One question, over as many turns as it takes. */
interface Run {
  readonly asker: Asker;
  readonly now: number;
  /** By resource and key of rules. */
  readonly found: Map<KnownResource, Map<string, Verdict>>;
  readonly messages: Map<string, string>;
  /** By the monotonic clock. */
  readonly until: number;
  /** Steps. */
  left: number;
  /** Whether what is over the budget is undecided; else it is not evaluated. */
  readonly isShared: boolean;
  isSpent: boolean;
}

const newRun = (asker: Asker, now: number, clock: Clock, isRequest: boolean): Run => ({
  asker,
  now,
  found: new Map(),
  messages: new Map(),
  until: isRequest ? clock.monotonic() + requestWithin : Infinity,
  left: isRequest ? requestBudget : Infinity,
  isShared: false,
  isSpent: false,
});

/** @returns how many subjects are whole, and what the turn did not come to of the next */
function keepVerdicts(
  { found, messages }: Run,
  asked: readonly Subject[],
  verdicts: readonly (Verdict | null)[],
): { readonly whole: number; readonly rest?: Subject } {
  let at = 0;
  let whole = 0;
  for (const { resource, keys } of asked) {
    const known = found.get(resource) ?? new Map<string, Verdict>();
    found.set(resource, known);
    const decided = keys.slice(0, verdicts.length - at);
    for (const key of decided) known.set(key, withKept(messages, verdicts[at++] ?? pass));
    if (decided.length < keys.length) {
      return { whole, rest: { resource, keys: keys.slice(decided.length) } };
    }
    whole += 1;
  }
  return { whole };
}

/** Longer messages are kept once: a policy says the same of each resource. */
const keptOnce = 256;

function withKept(messages: Map<string, string>, verdict: Verdict): Verdict {
  if (!('rules' in verdict)) return verdict;
  const rules = verdict.rules.map((rule) => {
    const { message } = rule;
    if (message === undefined || message.length < keptOnce) return rule;
    const kept = messages.get(message) ?? message;
    messages.set(kept, kept);
    return { ...rule, message: kept };
  });
  return { ...verdict, rules };
}

const verdictsOf = (run: Run, quarantined: ReadonlyMap<string, Quarantined>): Verdicts => ({
  get isSpent() {
    return run.isSpent;
  },
  of(policy, resource) {
    const rules = policy.rules as Rule[];
    if (policy.quarantined) return quarantinedVerdict(rules, policy.quarantined);
    const found = run.found.get(resource)?.get(keyOf(rules));
    if (found || quarantined.size === 0) return found;
    const why = quarantined.get(sayingOf(policy));
    return why && quarantinedVerdict(rules, why);
  },
});

/** A policy by what it says: one that has changed meanwhile is not what was quarantined. */
const sayingOf = ({ id = '', rules }: Parameters<Verdicts['of']>[0]): string =>
  `${id} ${keyOf(rules as Rule[])}`;

const keys = new WeakMap<readonly Rule[], string>();

/** What rules are known by: the same for rules that say the same. They never change once they are stored or read. */
function keyOf(rules: readonly Rule[]): string {
  let key = keys.get(rules);
  if (key === undefined) {
    key = createHash('sha256').update(JSON.stringify(rules)).digest('base64url');
    keys.set(rules, key);
  }
  return key;
}

function keep(rulesOf: Map<string, readonly Rule[]>, rules: readonly Rule[]): string {
  const key = keyOf(rules);
  if (!rulesOf.has(key)) rulesOf.set(key, rules);
  return key;
}
