import { createHash } from 'node:crypto';
import type { Rule } from '../../contract/policies.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { defined } from '../../contract/defined.ts';
import { requestBudget } from '../../engine/condition/budget.ts';
import type { ConditionProblem } from '../../engine/condition/compile.ts';
import type { Verdict } from '../../engine/decide.ts';
import { flipBudget } from '../../engine/next-flip.ts';
import type { Clock, Deps } from '../deps.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { Versioned } from '../store/store.ts';
import { createQuarantine, quarantinedVerdict } from './quarantine.ts';
import type { Quarantined } from './quarantine.ts';
import type { DatedVerdict, GivenSubject, StoredSubject, Verdicts } from './verdicts.ts';
import type { Answer, Description, Subject } from './thread/messages.ts';
import { tooBusy } from './thread/threads.ts';
import type { EvaluationThreads } from './thread/threads.ts';
import type { Asker } from '../threads/threads.ts';

/** Evaluates conditions. Verdicts depend only on rules, resource and `now`. */
export interface Evaluation {
  /**
   * Evaluates stored policies on resources, in several turns if necessary. Quarantines policies that exceed their budget
   * on many of them.
   * @param request whether to stop with partial verdicts when the budget of a request is spent
   * @param flips whether to find out when verdicts change by themselves, too
   */
  ofStored(
    asker: Asker,
    question: {
      readonly now: number;
      readonly subjects: readonly StoredSubject[];
      readonly request?: boolean;
      readonly flips?: boolean;
    },
  ): Promise<Verdicts>;
  /** Evaluates any rules on resources, all within the budget of one request. */
  ofGiven(
    asker: Asker,
    question: { readonly now: number; readonly subjects: readonly GivenSubject[] },
  ): Promise<Verdicts>;
  /** What stored rules read; cached by object. */
  readonly describe: EvaluationThreads['describe'];
  readonly checkAction: EvaluationThreads['checkAction'];
  check(asker: Asker, conditions: readonly string[]): Promise<readonly (ConditionProblem | null)[]>;
}

const pass: Verdict = { status: 'PASS' };

/** The next subjects, as few as keep a turn of the event loop short; at least one. */
function firstOf(
  subjects: readonly StoredSubject[],
  from: number,
  most: number,
): readonly StoredSubject[] {
  let pairs = 0;
  let at = from;
  do pairs += subjects[at++]?.policies.length ?? 0;
  while (at < subjects.length && at - from < most && pairs < mostPairs);
  return subjects.slice(from, at);
}

/** Maximum milliseconds of evaluation per request. The budget ends it much earlier, except on a busy machine. */
const requestWithin = 60_000;
/** Maximum steps per request for finding flips; the hourly evaluation finds the others. */
const flipsOfRequest = 10 * flipBudget;
/** Subjects per question: starts small, to quarantine costly policies early, and doubles with each question. */
const fewestSubjects = 16;
const mostSubjects = 256;
/**
 * Maximum pairs of a resource and a policy that a request evaluates and one transaction records, as others wait for it: some
 * tenths of a second. The background does the others.
 */
export const mostPairsOfRequest = 200_000;
/** Policies of subjects per question, as each is looked at before and after: some milliseconds. */
const mostPairs = 10_000;

export function createEvaluation(deps: Deps, threads: EvaluationThreads): Evaluation {
  const quarantine = createQuarantine(deps);
  const { clock, log } = deps;
  const descriptions = new WeakMap<readonly Rule[], Description>();

  /** Asks until all verdicts are known, or the steps or the time run out. */
  async function askAll(run: Run, subjects: readonly GivenSubject[]): Promise<void> {
    const { asker, now } = run;
    const rulesOf = new Map<string, readonly Rule[]>();
    const waiting: Subject[] = [];
    for (const { resource, rules } of subjects) {
      const its = new Set(rules.map((one) => keep(rulesOf, one)));
      if (its.size > 0) waiting.push({ resource, keys: [...its] });
    }
    /** Maximum subjects of the next turn. Subjects that a turn does not reach are sent again. */
    let most = fewestSubjects;
    for (let at = 0; at < waiting.length;) {
      asker.signal.throwIfAborted();
      if (clock.monotonic() >= run.until) throw tooBusy();
      if (run.left <= 0 && !run.isShared) {
        run.isSpent = true;
        return;
      }
      const asked = waiting.slice(at, at + most);
      const answer = await threads.decide(asker, {
        now,
        subjects: asked,
        rulesOf,
        ...(run.isShared ? { left: run.left } : {}),
        ...defined({ flips: run.flipsLeft }),
      });
      if (run.flipsLeft !== undefined) run.flipsLeft -= answer.flipSteps;
      for (const { key, why } of answer.broken) {
        log.error({ rules: key, reason: why }, 'stored rules do not compile');
      }
      run.left -= answer.steps;
      const { whole, rest } = keepVerdicts(run, asked, answer);
      if (rest) waiting[at + whole] = rest;
      at += whole;
      most = Math.min(mostSubjects, Math.max(1, whole * 2));
    }
  }

  return {
    async ofStored(asker, { now, subjects, request = false, flips = false }) {
      const run = newRun(asker, now, clock, request);
      if (flips) run.flipsLeft = request ? flipsOfRequest : Number.MAX_SAFE_INTEGER;
      const quarantined = new Map<string, Quarantined>();
      const verdicts = verdictsOf(run, quarantined);
      const isOut = (row: Versioned<StoredPolicy>): boolean => {
        const why = quarantine.whyOf(row);
        if (why) quarantined.set(sayingOf(row.doc), why);
        return why !== undefined;
      };
      let most = fewestSubjects;
      let pairs = 0;
      for (
        let at = 0;
        at < subjects.length && !run.isSpent;
        most = Math.min(most * 2, mostSubjects)
      ) {
        const some = firstOf(subjects, at, most);
        at += some.length;
        pairs += some.reduce((sum, { policies }) => sum + policies.length, 0);
        const asked = some.map(({ resource, policies }) => ({
          resource,
          rules: policies.flatMap((row) => (isOut(row) ? [] : [row.doc.rules as Rule[]])),
        }));
        await askAll(run, asked);
        await quarantine.count(some, verdicts);
        if (request && pairs >= mostPairsOfRequest) run.isSpent = true;
      }
      return verdicts;
    },
    async ofGiven(asker, { now, subjects }) {
      const run = { ...newRun(asker, now, clock, true), isShared: true };
      await askAll(run, subjects);
      return verdictsOf(run, new Map());
    },
    async describe(asker, rules) {
      const known = descriptions.get(rules) ?? (await threads.describe(asker, rules));
      descriptions.set(rules, known);
      return known;
    },
    check: threads.check,
    checkAction: threads.checkAction,
  };
}

/** The state of one evaluation over all its turns. */
interface Run {
  readonly asker: Asker;
  readonly now: number;
  /** Verdicts by resource and key of rules. */
  readonly found: Map<KnownResource, Map<string, DatedVerdict>>;
  readonly messages: Map<string, string>;
  /** Deadline in milliseconds of the monotonic clock. */
  readonly until: number;
  /** Steps left. */
  left: number;
  /** Whether evaluations beyond the budget are ERRORs; otherwise they are left out. */
  readonly isShared: boolean;
  isSpent: boolean;
  /** Steps left for finding flips; absent: they are not looked for. */
  flipsLeft?: number;
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

/** @returns the number of complete subjects, and the rest of the next subject if the turn ended within it */
function keepVerdicts(
  { found, messages }: Run,
  asked: readonly Subject[],
  { verdicts, flips }: Pick<Answer & { readonly kind: 'decided' }, 'verdicts' | 'flips'>,
): { readonly whole: number; readonly rest?: Subject } {
  const flipAt = new Map(flips.map(({ at, flip }) => [at, flip]));
  /** An answer has the same verdict of a policy once, for all resources that it is about. */
  const kept = new Map<Verdict, Verdict>();
  let at = 0;
  let whole = 0;
  for (const { resource, keys } of asked) {
    const known = found.get(resource) ?? new Map<string, DatedVerdict>();
    found.set(resource, known);
    const decided = keys.slice(0, verdicts.length - at);
    for (const key of decided) {
      const told = verdicts[at] ?? pass;
      let verdict = kept.get(told);
      if (verdict === undefined) kept.set(told, (verdict = withKept(messages, told)));
      const flip = flipAt.get(at++);
      known.set(key, flip === undefined ? verdict : { ...verdict, flip });
    }
    if (decided.length < keys.length) {
      return { whole, rest: { resource, keys: keys.slice(decided.length) } };
    }
    whole += 1;
  }
  return { whole };
}

/** Messages of at least this length are stored once, as a policy gives the same message for each resource. */
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

/** Identifies a policy by its id and rules, so that a quarantine does not apply to a policy that has changed since. */
const sayingOf = ({ id = '', rules }: Parameters<Verdicts['of']>[0]): string =>
  `${id} ${keyOf(rules as Rule[])}`;

const keys = new WeakMap<readonly Rule[], string>();

/** The same key for equal rules. Cached by object, as rules are immutable once they are stored or read. */
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
