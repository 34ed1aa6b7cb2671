import { defined } from '../../contract/defined.ts';
import { enforcementOf } from '../../contract/enforcement.ts';
import { ExemptionInput } from '../../contract/exemptions.ts';
import { createSuggester } from '../../contract/nearest.ts';
import type { PolicyInput } from '../../contract/policies.ts';
import { exemptionEnd } from '../../engine/exempt.ts';
import type { RawResource, WrittenSkip } from '../../inventory/model.ts';
import type { LocalPolicy, Place, Problem } from '../model.ts';
import { judgeUse } from './exemptions.ts';

/** A request in the source of a resource to skip a policy: a comment in Terraform, metadata in CloudFormation. */
export interface InlineSkip {
  readonly place: Place;
  /** Name or key. */
  readonly policy: string;
  /** The last day on which it applies, inclusive, UTC. */
  readonly until: string;
  readonly reason: string;
  readonly form: SkipForm;
  /** What is wrong with it as it is written; it has no effect then. */
  readonly fault?: string;
}

type SkipForm = keyof typeof examples;

/** How a skip is written in each form. */
const examples = {
  comment: '# govctl:skip=POLICY until=2027-03-31 REASON',
  metadata:
    '"Metadata": {"govctl": {"skip": {"policy": "POLICY", "until": "2027-03-31", "reason": "REASON"}}}',
} as const;

/** A skip of a resource, or of a part that is joined into it. */
export interface AttachedSkip {
  readonly skip: InlineSkip;
  readonly part?: RawResource;
}

/** Reads lists of skips, each list once: resources of one block share its skips, which are used if one of them uses them. */
export function createSkipReader<W extends WrittenSkip>(
  form: SkipForm,
  placeOf: (written: W) => Place,
): (list: readonly W[]) => readonly InlineSkip[] {
  const known = new Map<readonly W[], readonly InlineSkip[]>();
  return (list) => {
    const skips =
      known.get(list) ?? list.map((written) => readSkip(written, form, placeOf(written)));
    known.set(list, skips);
    return skips;
  };
}

function readSkip(written: WrittenSkip, form: SkipForm, place: Place): InlineSkip {
  const { policy = '', until = '', reason = '' } = written;
  return { policy, until, reason, form, place, ...defined({ fault: faultOf(written) }) };
}

function faultOf({ policy = '', until, reason = '' }: WrittenSkip): string | undefined {
  if (policy === '') return 'no policy given';
  if (until === undefined) return 'no date given';
  if (!ExemptionInput.shape.expires.safeParse(until).success)
    return `${JSON.stringify(until)} is not a date such as 2027-03-31`;
  return reason === '' ? 'no reason given' : undefined;
}

/** Why a finding is exempt, in one line. */
export const describeSkip = ({ reason, until }: InlineSkip): string =>
  `${reason} (inline, until ${until})`;

interface NamedPolicy {
  readonly key?: string | undefined;
  readonly policy: PolicyInput;
}

/** A mandatory policy is spared by exemptions only: they have an owner. */
const isMandatory = ({ policy }: NamedPolicy): boolean =>
  enforcementOf(policy.tags) === 'mandatory';

/** Whether a skip is about a policy and applies at `now` (milliseconds since the epoch). */
export const doesSkip = (
  { policy: name, until, fault }: InlineSkip,
  one: NamedPolicy,
  now: number,
): boolean =>
  fault === undefined &&
  (name === one.policy.name || name === one.key) &&
  now < exemptionEnd(until) &&
  !isMandatory(one);

/**
 * What there is to say of skips after a run: those without an effect, and those that end soon. `uses` has the findings that
 * each turned; `policies` are those that were run, `all` also the others.
 */
export function judgeSkips(
  uses: ReadonlyMap<InlineSkip, number>,
  policies: readonly LocalPolicy[],
  all: readonly LocalPolicy[],
  now: number,
): Problem[] {
  const run = new Map(
    policies.flatMap((one) => [one.key, one.policy.name].map((name) => [name, one] as const)),
  );
  const known = new Set(all.flatMap(({ key, policy }) => [key, policy.name]));
  const suggest = createSuggester(known);
  return [...uses].flatMap(([{ policy, until, form, fault, place }, used]): Problem[] => {
    const name = `the inline skip of ${JSON.stringify(policy)}`;
    const warn = (code: string, message: string, hint: string): Problem[] => [
      { level: 'warning', code, message, hint, ...place },
    ];
    if (fault !== undefined) {
      return warn(
        'invalid-skip',
        `the inline skip has no effect: ${fault}`,
        `Set policy, until and reason, such as: ${examples[form]}`,
      );
    }
    if (!known.has(policy)) {
      const nearest = suggest(policy);
      return warn(
        'unknown-policy',
        `${name} has no effect: no policy in these files has this name or key`,
        nearest
          ? `Did you mean ${JSON.stringify(nearest)}?`
          : 'Set an existing policy, or remove the skip.',
      );
    }
    const meant = run.get(policy);
    if (!meant) return [];
    if (isMandatory(meant)) {
      return warn(
        'mandatory-policy',
        `${name} has no effect: the policy is mandatory`,
        'Fix the resource, or add an Exemption document, which has an owner.',
      );
    }
    return judgeUse(
      {
        name,
        noun: 'skip',
        expires: until,
        renew: 'set a new date',
        unused: 'Remove the skip if its resource is fixed.',
        place,
      },
      used,
      now,
    );
  });
}

/** A comment that is in no block, and not directly above one. */
export const strayAt = (place: Place): Problem => ({
  level: 'warning',
  code: 'invalid-skip',
  message: 'the inline skip has no effect: it belongs to no resource or module block',
  hint: 'Move the comment into the block, or to the line directly above it.',
  ...place,
});
