import { availableParallelism } from 'node:os';
import { GovctlError } from '../../../contract/errors.ts';
import type { Rule } from '../../../contract/policies.ts';
import { evaluationBudget } from '../../../engine/condition/budget.ts';
import type { ConditionProblem } from '../../../engine/condition/compile.ts';
import type { Log } from '../../deps.ts';
import type { Call } from '../../http/call.ts';
import { ThreadGone, ask, createThreadPool, workerFile } from '../../threads/threads.ts';
import type { Asker, Port, ThreadPool } from '../../threads/threads.ts';
import { createTurns } from '../../threads/turns.ts';
import { createAnswers } from './answer.ts';
import type { Answer, DecideQuestion, Question, RuleSet, Subject } from './messages.ts';

/** A request. */
export const askerOf = ({ principal, signal }: Pick<Call, 'principal' | 'signal'>): Asker => ({
  owner: principal.countedAs,
  signal,
});

/** What is to be decided, by the keys of rules. */
interface Ask extends Omit<DecideQuestion, 'kind' | 'forget' | 'given' | 'turn'> {
  readonly rulesOf: ReadonlyMap<string, readonly Rule[]>;
}

type Decided = Answer & { readonly kind: 'decided' };

/**
 * Evaluates in threads, so that no condition holds up answers. Each question takes one turn of a thread; askers without
 * an owner are the background.
 * @throws GovctlError unavailable where a request took too long; TimeUp where the background did; ThreadGone where the
 * thread ended; the reason of the asker's signal
 */
export interface EvaluationThreads {
  /** As many verdicts as the turn had room for, one at least: the first subjects' first. */
  decide(asker: Asker, question: Ask): Promise<Decided>;
  /** Whether any of the rules reads `now`. */
  readsNow(asker: Asker, rules: readonly Rule[]): Promise<boolean>;
  /** What is wrong with each condition; null: it compiles. */
  check(asker: Asker, conditions: readonly string[]): Promise<readonly (ConditionProblem | null)[]>;
  /** Ends the threads; what is under way fails. */
  close(): Promise<void>;
}

export interface EvaluationThreadsOptions {
  /** What a thread runs; absent: this thread evaluates. */
  readonly file?: URL | undefined;
  /** Milliseconds of one turn after which its thread is ended: budgets end it long before. */
  readonly turnWithin?: number;
  /** Milliseconds that a request waits for a turn. */
  readonly waitWithin?: number;
  readonly log?: Log;
}

/** MiB of a thread's heap. */
const heapOfThread = 1_024;
/** Milliseconds: with a thread go the rules that it has ready to run. */
const keptIdle = 600_000;
/**
 * Of one turn: steps, evaluations, characters of rules that are made ready to run, and what its resources weigh, which
 * are copied for the thread where requests are answered.
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
  // The background has a turn of its own: requests do not wait for it.
  const ofRequests = createTurns(Math.max(1, Math.min(4, availableParallelism() - 1)));
  const ofBackground = createTurns(1);
  /** What each thread has been given. */
  const kept = new WeakMap<EvaluationPort, Kept>();

  /** A request is told to come again; why is for the log. */
  const explain = (error: Error): GovctlError => {
    if (error instanceof ThreadGone) log?.error({ err: error }, 'a thread that evaluates ended');
    return tooBusy(error);
  };
  // A turn ends by itself, and soon: it is waited for even where nobody waits for its answer.
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
    async readsNow(asker, rules) {
      const answer = await inTurn(asker, (port, gone) =>
        ask(port, gone, { kind: 'reads-now', rules }, turnWithin),
      );
      return answer.kind === 'read' && answer.readsNow;
    },
    async check(asker, conditions) {
      const answer = await inTurn(asker, (port, gone) =>
        ask(port, gone, { kind: 'check', conditions }, turnWithin),
      );
      return answer.kind === 'checked' ? answer.problems : [];
    },
    close: pool.close,
  };
}

const charactersOf = (rules: readonly Rule[]): number =>
  rules.reduce((sum, { condition }) => sum + condition.length + 100, 0);

/** As many of the first subjects as one turn takes, and the rules among theirs that its thread does not have. */
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

/** Characters that are copied in the time of a value, and values in that of a list or map. */
const charactersOfValue = 100;
const weightOfNested = 5;

/** What copying a document takes. */
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

/** This thread: it answers before anything else happens. */
function here(): EvaluationPool {
  const answer = createAnswers();
  const listeners = new Set<(answer: Answer) => void>();
  const port: EvaluationPort = {
    postMessage(question) {
      const answered = answer(question);
      for (const listener of listeners) listener(answered);
    },
    on: (_, listener) => listeners.add(listener),
    off: (_, listener) => listeners.delete(listener),
  };
  const { signal } = new AbortController();
  return { use: (_, work) => work(port, signal), close: () => Promise.resolve() };
}

export const tooBusy = (cause?: unknown): GovctlError =>
  new GovctlError('unavailable', 'The service is busy evaluating; nothing was changed', {
    hint: 'Try again in some seconds, or send fewer resources at once.',
    headers: { 'Retry-After': '5' },
    cause,
  });
