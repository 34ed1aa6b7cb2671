import { GovctlError } from '../../contract/errors.ts';
import { readOwnership } from '../compare/ownership.ts';
import type { Body, LiveItem, Secrets } from '../kinds/kind.ts';
import { diffFields, documentOf, withoutWriteOnly } from '../kinds/kind.ts';
import { kindOf } from '../kinds/kinds.ts';
import type { Change } from '../plan/change.ts';
import { isUntagged } from '../plan/change.ts';

/** Whether the server made of a change what was asked. */
interface AnswerCheck {
  /** What it did not take over. */
  readonly warnings: readonly string[];
  /** It lost what govctl needs to know its objects by. */
  readonly failure: GovctlError | undefined;
}

/** Compares what a server answered to a change with what was sent; without an answer nothing can be said. */
export function checkAnswer(
  project: string,
  secrets: Secrets,
  change: Change,
  answered: LiveItem | undefined,
): AnswerCheck {
  const { after } = change;
  if (!answered || !after) return { warnings: [], failure: undefined };
  const kind = kindOf(change);
  const { owner, key } = readOwnership(answered.tags ?? []);
  const isKept = owner === project && key === change.key;
  // Without tags such a kind is known by its url; with others than were sent it is not.
  const isUnknowing = kind.withoutExtensions(after) !== undefined && answered.tags === undefined;
  if (!isKept && !isUnknowing) {
    return { warnings: [], failure: tagsLost(change, answered.id) };
  }
  const asked = isUnknowing ? (kind.withoutExtensions(after) ?? after) : after;
  const real = kind.reveal(change.key, asked, answered, secrets);
  const shown = documentOf(kind, kind.shownLive(answered, { real, shown: asked }));
  // What a service without extensions does not answer can't be judged.
  const got: Body = { ...(isUnknowing ? asked : {}), ...shown };
  const differing = diffFields(
    kind,
    kind.state(withoutWriteOnly(kind, asked)),
    kind.state(withoutWriteOnly(kind, got)),
  );
  return {
    warnings: [
      ...(isUnknowing && !isUntagged(change)
        ? [
            `this server does not store tags of ${kind.noun.many}: ${kind.noun.many} are identified by ${kind.identity} and never pruned`,
          ]
        : []),
      ...differing.map(
        ({ path, before, after: has }) =>
          `the server did not store ${path}: sent ${say(before)}, stored ${say(has)}`,
      ),
    ],
    failure: undefined,
  };
}

function tagsLost({ action, key }: Change, id: string): GovctlError {
  return new GovctlError(
    'bad_answer',
    `${id} was ${action}d for ${key}, but the server did not store govctl's tags`,
    {
      hint: 'govctl identifies its policies by tags and cannot manage a server that drops tags. No further changes were made.',
    },
  );
}

function say(value: unknown): string {
  const text = value === null ? 'nothing' : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
