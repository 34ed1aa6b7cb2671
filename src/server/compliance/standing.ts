import { severities } from '../../contract/policies.ts';
import type {
  Control,
  ControlCounts,
  ControlPolicy,
  ControlStatus,
  Framework,
} from '../../contract/frameworks.ts';
import { defined } from '../../contract/defined.ts';
import type { Tally } from '../../engine/frameworks/status.ts';
import { addPolicy, controlStatus, emptyTally, scoreOf } from '../../engine/frameworks/status.ts';
import { controlKey, frameworkKey, readLabels } from '../../engine/labels.ts';
import { complianceStatus } from '../../engine/score.ts';
import { createPace } from '../pace.ts';
import { policies } from '../policies/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Attached } from './attached.ts';
import type { KnownControl, KnownFramework } from './known.ts';
import type { Asked, TallyOf } from './tallies.ts';

/** How each control of a framework stands. */
export interface FrameworkStanding {
  readonly summary: Framework;
  readonly controls: readonly ControlStanding[];
}

interface ControlStanding {
  readonly control: KnownControl;
  readonly key: string;
  readonly status: ControlStatus;
  readonly tally: Tally;
  /** Those that are worst off first, and not all of them where there are more than were asked for. */
  readonly policies: readonly ControlPolicy[];
  readonly manual: Attached | undefined;
}

/** What policies a control has so far. */
interface Draft {
  readonly tally: Tally;
  policies: ControlPolicy[];
}

export interface Parts {
  readonly tallyOf: TallyOf;
  /** By `controlKey`: the evidence that persons attached. */
  readonly attached: ReadonlyMap<string, Attached>;
  /** Policies that are kept of each control. */
  readonly most: number;
}

/** How a framework stands by the latest outcomes of the enabled policies whose labels name it; read in turns. */
export async function standingOf(
  { reader, signal }: Asked,
  framework: KnownFramework,
  { tallyOf, attached, most }: Parts,
): Promise<FrameworkStanding> {
  const key = frameworkKey(framework.id);
  const whole = emptyTally();
  const drafts = new Map<string, Draft>();
  const where = { framework: { any: [key] }, enabled: { any: ['true'] } };
  const pace = createPace(signal);
  for await (const { doc } of allRows(reader, policies, where)) {
    const tally = await tallyOf(doc);
    addPolicy(whole, tally);
    const mapping = readLabels(doc.compliance_frameworks ?? []).find((one) => one.key === key);
    for (const control of mapping?.controls ?? []) {
      const draft = getOrAdd(drafts, controlKey(framework.id, control));
      addPolicy(draft.tally, tally);
      draft.policies.push(tally);
      if (draft.policies.length >= 2 * most) draft.policies = worstOf(draft.policies, most);
    }
    await pace.spend(doc.compliance_frameworks?.length ?? 0);
  }
  const controls: ControlStanding[] = [];
  for (const control of framework.controls) {
    const own = controlKey(framework.id, control.id);
    const { tally, policies: all } = drafts.get(own) ?? none;
    const manual = attached.get(own);
    const status = controlStatus(tally, manual !== undefined);
    await pace.spend(1 + all.length);
    controls.push({ control, key: own, status, tally, policies: worstOf(all, most), manual });
  }
  return { summary: summarise(framework, whole, controls), controls };
}

const none: Draft = { tally: emptyTally(), policies: [] };

function getOrAdd(drafts: Map<string, Draft>, key: string): Draft {
  let draft = drafts.get(key);
  if (!draft) drafts.set(key, (draft = { tally: emptyTally(), policies: [] }));
  return draft;
}

const gravity = ({ open, fail, error, severity }: ControlPolicy): readonly number[] => [
  open,
  fail,
  error,
  severities.indexOf(severity),
];

function worstOf(all: readonly ControlPolicy[], most: number): ControlPolicy[] {
  if (all.length === 0) return [];
  const graded = all.map((policy) => ({ policy, gravity: gravity(policy) }));
  const compare = (a: (typeof graded)[number], b: (typeof graded)[number]): number =>
    b.gravity.reduce((sign, n, at) => sign || n - (a.gravity[at] ?? 0), 0) ||
    (a.policy.name < b.policy.name ? -1 : 1);
  return graded
    .sort(compare)
    .slice(0, most)
    .map(({ policy }) => policy);
}

function summarise(
  { id, name, version, built_in, has_texts }: KnownFramework,
  whole: Tally,
  controls: readonly ControlStanding[],
): Framework {
  const score = scoreOf(whole);
  const counted = new Map<ControlStatus, number>();
  for (const { status } of controls) counted.set(status, (counted.get(status) ?? 0) + 1);
  const countOf = (status: ControlStatus): number => counted.get(status) ?? 0;
  const counts: ControlCounts = {
    total: controls.length,
    with_policies: controls.filter(({ tally }) => tally.policies > 0).length,
    passed: countOf('PASSED'),
    failed: countOf('FAILED'),
    error: countOf('ERROR'),
    manual: countOf('manual'),
    not_evaluated: countOf('not_evaluated'),
  };
  return {
    id,
    name,
    ...defined({ version }),
    built_in,
    ...defined({ has_texts }),
    status: score === null ? 'not_evaluated' : complianceStatus(score, whole),
    compliance_score: score,
    controls_passed: counts.passed,
    controls_with_data: counts.passed + counts.failed + counts.error,
    control_counts: counts,
    policies: whole.policies,
    evaluated: whole.evaluated,
    errors: whole.error,
  };
}

export const showControlStanding = (
  { control, status, tally, policies: shown, manual }: ControlStanding,
  most: number,
): Control => ({
  ...control,
  status,
  compliance_score: scoreOf(tally),
  open_violations: tally.open,
  policy_count: tally.policies,
  policies: shown.slice(0, most),
  ...(manual ? { manual: { ...manual } } : {}),
});
