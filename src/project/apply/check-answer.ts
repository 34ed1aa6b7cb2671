import { GovctlError } from '../../contract/errors.ts';
import type { Policy } from '../../contract/policies.ts';
import { diffFields } from '../compare/field-diff.ts';
import { normalisePolicy } from '../compare/fingerprint.ts';
import { readOwnership } from '../compare/ownership.ts';
import type { Change } from '../plan/plan.ts';

/** Whether the server made of a change what was asked. */
export interface AnswerCheck {
  /** What it did not take over. */
  readonly warnings: readonly string[];
  /** It lost what govctl needs to know its policies by. */
  readonly failure: GovctlError | undefined;
}

/** Compares what a server answered to a change with what was sent; without an answer nothing can be said. */
export function checkAnswer(
  project: string,
  change: Change,
  answered: Policy | undefined,
): AnswerCheck {
  if (!answered || !change.after) return { warnings: [], failure: undefined };
  const { owner, key } = readOwnership(answered.tags ?? []);
  if (owner !== project || key !== change.key) {
    return { warnings: [], failure: tagsLost(change, answered.id) };
  }
  const differing = diffFields(
    normalisePolicy(change.after, 'kept'),
    normalisePolicy(answered, 'kept'),
  );
  return {
    warnings: differing.map(
      ({ path, before, after }) =>
        `the server did not take over ${path}: sent ${say(before)}, it has ${say(after)}`,
    ),
    failure: undefined,
  };
}

function tagsLost({ action, key }: Change, id: string): GovctlError {
  return new GovctlError(
    'bad_answer',
    `${id} was ${action}d for ${key}, but the server did not keep govctl's tags`,
    {
      hint: 'govctl knows its policies by their tags; a server that drops tags can not be managed with it. Nothing more was begun.',
    },
  );
}

function say(value: unknown): string {
  const text = value === null ? 'nothing' : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
