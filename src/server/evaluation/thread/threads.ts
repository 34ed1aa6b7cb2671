import { availableParallelism } from 'node:os';
import { GovctlError } from '../../../contract/errors.ts';
import type { Rule } from '../../../contract/policies.ts';
import { evaluationBudget } from '../../../engine/condition/budget.ts';
import type { ConditionProblem } from '../../../engine/condition/compile.ts';
import { whenKnown } from '../../awaitable.ts';
import type { Log } from '../../deps.ts';
import type { Call } from '../../http/call.ts';
import { ThreadGone, ask, createThreadPool, workerFile } from '../../threads/threads.ts';
import type { Asker, Port, ThreadPool } from '../../threads/threads.ts';
import { createTurns } from '../../threads/turns.ts';
import { answerTo, createAnswers } from './answer.ts';
import type {
  ActionQuestion,
  Answer,
  DecideQuestion,
  Description,
  Question,
  RuleSet,
  Subject,
} from './messages.ts';

/** The asker for a request. */
export const askerOf = ({ principal, signal }: Pick<Call, 'principal' | 'signal'>): Asker => ({
  owner: principal.countedAs,
  signal,
});

/** A question, with the rules by key. */
interface Ask extends Omit<DecideQuestion, 'kind' | 'forget' | 'given' | 'turn'> {
  readonly rulesOf: ReadonlyMap<string, readonly Rule[]>;
}

type Decided = Answer & { readonly kind: 'decided' };

/**
 * Evaluates in threads, so that conditions do not block the event loop. Each question takes one turn of a thread. Askers
 * without an owner belong to the background.
 * @throws GovctlError unavailable if a request took too long; TimeUp if the background did; ThreadGone if the thread
 * ended; the reason of the asker's signal
 */
export interface EvaluationThreads {
  /** Decides as many subjects, in order, as fit in the turn; at least one verdict. */
  decide(asker: Asker, question: Ask): Promise<Decided>;
  /** Tells what rules read. */
  describe(asker: Asker, rules: readonly Rule[]): Promise<Description>;
  /** Compiles conditions; the result is null for each that compiles. */
  check(asker: Asker, conditions: readonly string[]): Promise<readonly (ConditionProblem | null)[]>;
  /** What is wrong with a policy's `remediation_action`, if anything is. */
  checkAction(asker: Asker, question: Omit<ActionQuestion, 'kind'>): Promise<string | undefined>;
  /** Terminates the threads; work in progress fails. */
  close(): Promise<void>;
}

export interface EvaluationThreadsOptions {
  /** The threads' entry point; if absent, the main thread evaluates. */
  readonly file?: URL | undefined;
  /** Maximum milliseconds of a turn, then its thread is terminated. Budgets end a turn much earlier. */
  readonly turnWithin?: number;
  /** Maximum milliseconds that a request waits for a turn. */
  readonly waitWithin?: number;
  readonly log?: Log;
}

/** Maximum heap of a thread in MiB. */
const heapOfThread = 1_024;
/** Milliseconds. Long, as an ended thread loses its compiled rules. */
const keptIdle = 600_000;
/**
 * Limits of one turn: steps, evaluations, weight of its resources, which are copied in the main thread, and characters of
 * rules to compile.
 */
const stepsOfTurn = evaluationBudget;
const pairsOfTurn = 5_000;
const weightOfTurn = 20_000;
const charactersOfTurn = 64 << 10;

export function createEvaluationThreads({
  file = workerFile('evaluate-worker'),
  turnWithin = 30_000,
  waitWithin = 20_000,
  log,
}: EvaluationThreadsOptions = {}): EvaluationThreads {
  const pool: EvaluationPool = file
    ? createThreadPool({ file, mostMemory: heapOfThread, keptIdle })
    : here();
  // The background has its own turns, so requests do not wait for it.
  const ofRequests = createTurns(Math.max(1, Math.min(4, availableParallelism() - 1)));
  const ofBackground = createTurns(1);
  /** The rules that each thread has. */
  const kept = new WeakMap<EvaluationPort, Kept>();

  /** A request gets 503 and can be retried; the cause is only logged. */
  const explain = (error: Error): GovctlError => {
    if (error instanceof ThreadGone) log?.error({ err: error }, 'an evaluation thread exited');
    return tooBusy(error);
  };
  // `isEnded: false`: a turn ends soon by itself, and terminating its thread would lose the compiled rules.
  const inTurn = <T>(
    asker: Asker,
    work: (port: EvaluationPort, gone: AbortSignal) => Promise<T>,
  ): Promise<T> =>
    pool.use(
      asker.owner === undefined
        ? { ...asker, turns: ofBackground, isEnded: false }
        : { ...asker, turns: ofRequests, within: waitWithin, isEnded: false, explain },
      work,
    );

  return {
    decide: (asker, { rulesOf, subjects, ...question }) =>
      inTurn(asker, async (port, gone) => {
        const has = kept.get(port) ?? { keys: new Set(), isFull: false };
        kept.set(port, has);
        const forget = has.isFull;
        if (forget) [has.keys, has.isFull] = [new Set(), false];
        const { given, asked } = cut(subjects, rulesOf, has.keys);
        const turn = stepsOfTurn;
        const sent = { kind: 'decide', forget, given, subjects: asked, turn, ...question } as const;
        const answer = (await ask(port, gone, sent, turnWithin)) as Decided; // as asked
        for (const { key } of given.slice(0, answer.ready)) has.keys.add(key);
        has.isFull = answer.isFull;
        return answer;
      }),
    async describe(asker, rules) {
      const answer = await inTurn(asker, (port, gone) =>
        ask(port, gone, { kind: 'describe', rules }, turnWithin),
      );
      return answer as Answer & { readonly kind: 'described' }; // as asked
    },
    async check(asker, conditions) {
      const answer = await inTurn(asker, (port, gone) =>
        ask(port, gone, { kind: 'check', conditions }, turnWithin),
      );
      return answer.kind === 'checked' ? answer.problems : [];
    },
    async checkAction(asker, question) {
      const answer = await inTurn(asker, (port, gone) =>
        ask(port, gone, { kind: 'action', ...question }, turnWithin),
      );
      return (answer.kind === 'action' && answer.problem) || undefined;
    },
    close: pool.close,
  };
}

const charactersOf = (rules: readonly Rule[]): number =>
  rules.reduce((sum, { condition }) => sum + condition.length + 100, 0);

/** The first subjects, as many as fit in one turn, and those of their rules that the thread does not have. */
function cut(
  subjects: readonly Subject[],
  rulesOf: ReadonlyMap<string, readonly Rule[]>,
  has: ReadonlySet<string>,
): { readonly asked: readonly Subject[]; readonly given: readonly RuleSet[] } {
  const given = new Map<string, readonly Rule[]>();
  const asked: Subject[] = [];
  let characters = 0;
  let pairs = 0;
  let weight = 0;
  for (const { resource, keys } of subjects) {
    weight += weigh(resource);
    if (asked.length > 0 && weight > weightOfTurn) break;
    const taken: string[] = [];
    for (const key of keys) {
      const isNew = !has.has(key) && !given.has(key);
      const rules = rulesOf.get(key) ?? [];
      if (pairs >= pairsOfTurn || (isNew && given.size > 0 && characters > charactersOfTurn)) {
        if (taken.length > 0) asked.push({ resource, keys: taken });
        return { asked, given: [...given].map(([one, its]) => ({ key: one, rules: its })) };
      }
      if (isNew) {
        given.set(key, rules);
        characters += charactersOf(rules);
      }
      taken.push(key);
      pairs += 1;
    }
    asked.push({ resource, keys: taken });
  }
  return { asked, given: [...given].map(([key, rules]) => ({ key, rules })) };
}

/** Characters that take as long to copy as a value, and values that take as long as a list or map. */
const charactersOfValue = 100;
const weightOfNested = 5;

/** The cost of copying a document. */
function weigh(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / charactersOfValue;
  if (typeof value !== 'object' || value === null) return 1;
  let weight = weightOfNested;
  for (const inner of Object.values(value)) weight += weigh(inner);
  return weight;
}

type EvaluationPort = Port<Answer, Question>;
type EvaluationPool = ThreadPool<Answer, Question>;

interface Kept {
  keys: Set<string>;
  isFull: boolean;
}

/** A pool that evaluates synchronously in the main thread. */
function here(): EvaluationPool {
  const answer = createAnswers();
  const listeners = new Set<(answer: Answer) => void>();
  const port: EvaluationPort = {
    postMessage(question) {
      void whenKnown(answerTo(answer, question), (answered) => {
        for (const listener of listeners) listener(answered);
      });
    },
    on: (_, listener) => listeners.add(listener),
    off: (_, listener) => listeners.delete(listener),
  };
  const { signal } = new AbortController();
  return { use: (_, work) => work(port, signal), close: () => Promise.resolve() };
}

export const tooBusy = (cause?: unknown): GovctlError =>
  new GovctlError('unavailable', 'The service is busy evaluating; nothing was changed', {
    hint: 'Try again in a few seconds, or send fewer resources per request.',
    headers: { 'Retry-After': '5' },
    cause,
  });
