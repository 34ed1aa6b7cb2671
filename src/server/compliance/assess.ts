import { defined } from '../../contract/defined.ts';
import { titleOf as builtInTitle } from '../../engine/frameworks/titles.ts';
import type { TitleOf } from '../../engine/frameworks/titles.ts';
import { controlKey, frameworkKey } from '../../engine/labels.ts';
import { complianceScore, complianceStatus } from '../../engine/score.ts';
import type { Standing } from '../../engine/standing.ts';

type Status = 'COMPLIANT' | 'NON_COMPLIANT';

/** How a framework stood in an account when the whole inventory was scanned the last time. */
export interface Assessment {
  readonly id: string;
  readonly framework: string;
  readonly account_id?: string;
  readonly score: number;
  /** The score that was told last, so that one that moves by little each time is told in the end. */
  readonly told_score: number;
  readonly status: Status;
  readonly failed: readonly string[];
  /** Not all that failed are in `failed`. */
  readonly partial?: true;
  readonly assessed_at: string;
}

interface ChangedControl {
  readonly control_id: string;
  readonly control_name: string;
  readonly previous_status: 'PASSED' | 'FAILED';
  readonly current_status: 'PASSED' | 'FAILED';
  readonly reason: string;
}

interface About {
  readonly framework: string;
  readonly account_id?: string;
  readonly previous_score: number;
  readonly current_score: number;
  readonly status: Status;
  readonly assessment_date: string;
}

interface Assessed {
  readonly assessment: Assessment;
  /** Where the status is another than before. */
  readonly statusChange?: About & {
    readonly previous_status: Status;
    readonly changed_controls: readonly ChangedControl[];
  };
  /** Where the score has moved by a point or more since it was told. */
  readonly scoreChange?: About;
}

/** Where the assessment of a framework in an account is stored. */
export const assessmentId = ({
  framework,
  account_id,
}: Pick<Standing, 'framework' | 'account_id'>) =>
  JSON.stringify([frameworkKey(framework), ...(account_id === undefined ? [] : [account_id])]);

/**
 * Compares how a framework stands with the last assessment. The first one is what later ones are compared with, and
 * changes nothing.
 * @param at ISO 8601
 * @returns undefined where nothing was evaluated
 */
export function assess(
  before: Assessment | undefined,
  standing: Standing,
  at: string,
  titleOf: TitleOf = builtInTitle,
): Assessed | undefined {
  const score = complianceScore(standing);
  if (score === null) return undefined;
  const { framework, account_id } = standing;
  const of = { framework, ...defined({ account_id }) };
  const status = complianceStatus(score, standing);
  const failed = standing.failed.map(([control]) => control);
  const assessment = {
    id: assessmentId(standing),
    ...of,
    score,
    status,
    failed,
    ...(standing.partial ? { partial: true as const } : {}),
    assessed_at: at,
  };
  if (!before) return { assessment: { ...assessment, told_score: score } };
  const about = (previous: number): About => ({
    ...of,
    previous_score: previous,
    current_score: score,
    status,
    assessment_date: at,
  });
  // In hundredths, as scores have two decimals.
  const hasMoved = Math.abs(Math.round((score - before.told_score) * 100)) >= 100;
  return {
    assessment: { ...assessment, told_score: hasMoved ? score : before.told_score },
    ...(status === before.status
      ? {}
      : {
          statusChange: {
            ...about(before.score),
            previous_status: before.status,
            changed_controls: changedControls(before, standing, titleOf),
          },
        }),
    ...(hasMoved ? { scoreChange: about(before.told_score) } : {}),
  };
}

/** Only what is known of both times: a control that is in neither list of failed ones may be one that was not kept. */
function changedControls(
  before: Assessment,
  { framework, failed, partial }: Standing,
  titleOf: TitleOf,
): ChangedControl[] {
  const change = (
    control: string,
    current: ChangedControl['current_status'],
    reason: string,
  ): ChangedControl => ({
    control_id: control,
    control_name: titleOf(framework, control) ?? control,
    previous_status: current === 'FAILED' ? 'PASSED' : 'FAILED',
    current_status: current,
    reason,
  });
  const key = (control: string) => controlKey(framework, control);
  const failedBefore = new Set(before.failed.map(key));
  const failedNow = new Set(failed.map(([control]) => key(control)));
  return [
    ...failed.flatMap(([control, policy]): ChangedControl[] =>
      before.partial || failedBefore.has(key(control))
        ? []
        : [change(control, 'FAILED', `policy ${policy} has an open violation`)],
    ),
    ...before.failed.flatMap((control): ChangedControl[] =>
      partial || failedNow.has(key(control))
        ? []
        : [change(control, 'PASSED', 'no policy mapped to it has an open violation')],
    ),
  ];
}
