import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader, Tx } from '../store/store.ts';
import { assess, assessmentId } from './assess.ts';
import type { AttachedEvidence } from './attached.ts';
import { assessments } from './collection.ts';
import { controlIn, findControl, findFramework, lookUpFramework, titlesIn } from './known.ts';
import type { KnownFramework } from './known.ts';
import { standingOf } from './standing.ts';
import type { FrameworkStanding } from './standing.ts';
import { createTallies } from './tallies.ts';
import type { Asked } from './tallies.ts';
import { frameworkKey, labelKey, readLabels, splitLabel } from '../../engine/labels.ts';
import { mostStandings } from '../../engine/standing.ts';
import type { Standing } from '../../engine/standing.ts';

/** Tells which frameworks a policy is mapped to, or no longer mapped to. Absent: it is created, or deleted. */
export async function frameworksChanged(
  deps: Deps,
  tx: Tx,
  before: StoredPolicy | undefined,
  after: StoredPolicy | undefined,
): Promise<void> {
  const policy = after ?? before;
  if (!policy) return;
  const [old, now] = [before, after].map((one) => one?.compliance_frameworks ?? []);
  const tell = async (action: 'mapped' | 'unmapped', labels: readonly string[]) => {
    for (const { framework, controls } of readLabels(labels)) {
      const { id: policy_id, name: policy_name } = policy;
      const changed = { framework, action, policy_id, policy_name, controls };
      await emit(deps, tx, 'compliance.framework.updated', { framework: changed });
    }
  };
  await tell('unmapped', without(old, now));
  await tell('mapped', without(now, old));
}

function without(labels: readonly string[] = [], others: readonly string[] = []): string[] {
  const known = new Set(others.map(labelKey));
  return labels.filter((label) => !known.has(labelKey(label)));
}

/** Assesses every framework in every account after a scan of the whole inventory, and tells what has changed. */
export async function assessAll(deps: Deps, tx: Tx, standings: readonly Standing[]): Promise<void> {
  const at = timestamp(deps.clock.now());
  const titleOf = await titlesIn(tx);
  for (const standing of standings) {
    const before = (await tx.get(assessments, assessmentId(standing)))?.doc;
    const assessed = assess(before, standing, at, titleOf);
    if (!assessed) continue;
    const { assessment, statusChange, scoreChange } = assessed;
    await (before ? tx.replace(assessments, assessment) : tx.insert(assessments, assessment));
    if (statusChange)
      await emit(deps, tx, 'compliance.status.changed', { compliance: statusChange });
    if (scoreChange) await emit(deps, tx, 'compliance.score.changed', { ...scoreChange });
  }
  if (standings.length < mostStandings) await forgetGone(tx, standings);
  else deps.log.warn({ most: mostStandings }, 'not every framework of every account is assessed');
}

/** Where nothing is evaluated any more, there is nothing to compare a later assessment with. */
async function forgetGone(tx: Tx, standings: readonly Standing[]): Promise<void> {
  const stay = new Set(standings.map(assessmentId));
  for await (const { doc } of allRows(tx, assessments, {})) {
    if (!stay.has(doc.id)) await tx.remove(assessments, doc.id);
  }
}

/**
 * A framework with some of its controls, or all.
 * @throws GovctlError framework_not_found, control_not_found
 */
export async function chooseControls(
  reader: Reader,
  name: string,
  controls?: readonly string[],
): Promise<KnownFramework> {
  const framework = await findFramework(reader, name);
  if (!controls) return framework;
  const chosen = new Set(controls.map((control) => findControl(framework, control)));
  return { ...framework, controls: framework.controls.filter((control) => chosen.has(control)) };
}

export { titlesIn };

/** Whether a label names a framework whose controls are known, or one of these controls. */
export async function isDefined(reader: Reader, label: string): Promise<boolean> {
  const { framework: name, control } = splitLabel(label);
  const framework = await lookUpFramework(reader, name);
  return framework !== undefined && (control === '' || controlIn(framework, control) !== undefined);
}

/** How the controls of a framework stand now, each with all of its policies. */
export async function standingNow(
  { clock }: Pick<Deps, 'clock'>,
  asked: Asked,
  framework: KnownFramework,
  attached: AttachedEvidence,
): Promise<FrameworkStanding> {
  return standingOf(asked, framework, {
    tallyOf: await createTallies(asked),
    attached: await attached(asked.reader, frameworkKey(framework.id), clock.now()),
    most: Infinity,
  });
}
