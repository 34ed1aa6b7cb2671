import type { InputProblem } from '../../inventory/model.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Checker, Tally } from '../../project/check/checker.ts';
import { addTally, emptyTally } from '../../project/check/checker.ts';
import type { PlacedLeftOut } from '../../project/check/left-out.ts';
import type { Unreadable } from '../../project/check/discover-inputs.ts';
import type { Holding, Place, Problem } from '../../project/model.ts';
import type { Collector } from './collect.ts';

/** Unreadable places and warnings that are told one by one; beyond it they are counted. */
const mostTold = 1_000;

/** A check at work: what was counted and met so far, over all inputs. */
export interface CheckRun {
  readonly checker: Checker;
  readonly collector: Collector;
  readonly tally: Tally;
  readonly unreadable: Told<Unreadable>;
  /** Resources with an id that another one of the same file has. */
  readonly duplicates: Told<Problem>;
  /** Resources whose condition is false. */
  readonly leftOut: Told<PlacedLeftOut>;
  /** What may be otherwise than an input says. */
  readonly notices: Told<Problem>;
  /** Files of folders that hold nothing known. */
  readonly skipped: string[];
  readonly signal: AbortSignal;
  readonly holding: Holding;
  /** Adds what was counted, and lets what was found be written out. @throws GovctlError interrupted */
  count(tally: Tally): Promise<void>;
}

/** A list that may grow without bound: the first are kept, all are counted. */
export interface Told<T> {
  readonly items: readonly T[];
  readonly hidden: number;
  add(item: T): void;
  /** Some that nobody kept. */
  skip(amount: number): void;
}

function createTold<T>(first: readonly T[] = []): Told<T> {
  const items = [...first];
  let hidden = 0;
  return {
    items,
    get hidden() {
      return hidden;
    },
    add(item) {
      if (items.length < mostTold) items.push(item);
      else hidden++;
    },
    skip(amount) {
      hidden += amount;
    },
  };
}

export function createRun(
  given: Pick<CheckRun, 'checker' | 'collector' | 'signal'> & {
    readonly exemptions: number;
    readonly unreadable: readonly Unreadable[];
    /** Called now and then with how many resources are done. */
    readonly onProgress: (resources: number) => Promise<void>;
    /** Default: nothing else is done. */
    readonly holding?: Holding;
  },
): CheckRun {
  const { checker, collector, signal, exemptions, onProgress, holding = (work) => work() } = given;
  const tally = emptyTally(checker.policies.length, exemptions);
  return {
    checker,
    collector,
    signal,
    holding,
    tally,
    unreadable: createTold(given.unreadable),
    duplicates: createTold(),
    leftOut: createTold(),
    notices: createTold(),
    skipped: [],
    async count(more) {
      addTally(tally, more);
      await onProgress(tally.resources);
      if (signal.aborted) throw interrupted();
    },
  };
}

export const interrupted = (): GovctlError => new GovctlError('interrupted', 'Interrupted');

export const noticeAt = (
  { message, file, line = 1, column = 1 }: InputProblem,
  input: string,
): Problem => ({
  level: 'warning',
  code: 'not-known',
  message,
  file: file ?? input,
  line,
  column,
});

/** @param files that were read as one */
export const duplicateAt = (id: string, place: Place, files = 1): Problem => ({
  level: 'warning',
  code: 'duplicate-id',
  message: `duplicate resource ID ${JSON.stringify(id)} in ${files === 1 ? 'this file' : 'these files'}`,
  hint: 'Both resources were checked, but exemptions and the service cannot tell them apart.',
  ...place,
});
