import { defined } from '../../../contract/defined.ts';
import type { PredictionMethod } from '../../../contract/predictions.ts';
import type { Deps } from '../../deps.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import { readPending } from '../../evaluation/pending.ts';
import type { ContentOrder } from '../../../report/content/order.ts';
import type { EvaluationRow, Facts, StepRow, ViolationRow } from '../../../report/content/facts.ts';
import { titlesIn } from '../../compliance/service.ts';
import { gatherAudit } from './audit.ts';
import { costOfFindings, costOverTime } from './cost.ts';
import type { CostSources } from './cost.ts';
import { gatherEvaluations } from './evaluations.ts';
import { gatherExemptions } from './exemptions.ts';
import { createPace } from '../../pace.ts';
import { gatherPeople } from './people.ts';
import { gatherPolicies } from './policies.ts';
import { gatherPredictions } from './predictions.ts';
import { gatherRemediations } from './remediations.ts';
import { gatherScans } from './scans.ts';
import { readScope } from '../../../report/content/scope.ts';
import type { Wants } from '../../../report/content/content.ts';
import { createSpool } from './spool.ts';
import { gatherViolations } from './violations.ts';

export interface GatherOptions {
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  readonly onProgress: (part: number) => void;
}

export interface Gathered {
  readonly facts: Facts;
  readonly close: () => Promise<void>;
}

/** What part of the work each pass is, in thought. */
const evaluatingPart = 0.6;

/** Reads all that a report tells from what is stored. */
export async function gather(
  deps: Deps,
  evaluation: Evaluation,
  { order, wants }: { readonly order: ContentOrder; readonly wants: Wants },
  {
    signal,
    onProgress,
    methods,
    costSources,
  }: GatherOptions & {
    readonly methods: ReadonlySet<PredictionMethod>;
    readonly costSources: CostSources;
  },
): Promise<Gathered> {
  const reader = deps.store;
  const scope = readScope(order);
  const pace = createPace(signal);
  const spools = {
    violations: wants.violations && createSpool<ViolationRow>(deps, order.id),
    evaluations: wants.evaluations && createSpool<EvaluationRow>(deps, order.id),
    undecided: wants.undecided && createSpool<EvaluationRow>(deps, order.id),
    steps: wants.steps && createSpool<StepRow>(deps, order.id),
  };
  const close = async (): Promise<void> => {
    for (const spool of Object.values(spools)) await spool?.close();
  };
  try {
    // Before anything is read, as it may be evaluated by the end; what begins since then is pending at the end.
    const pending = await readPending(reader, scope.at, signal);
    const policies = await gatherPolicies(reader, scope, pace);
    const { facts: evaluations, covered } = await gatherEvaluations(reader, policies, {
      evaluation,
      signal,
      scope,
      spools: { all: spools.evaluations, undecided: spools.undecided },
      pace,
      onProgress: (part) => onProgress(part * evaluatingPart),
    });
    const costParts = { deps, scope, signal, ...costSources };
    const findings = wants.costAtRisk ? await costOfFindings(costParts) : undefined;
    const violations = await gatherViolations(reader, scope, {
      onOpen: findings?.add,
      spools: {
        rows: spools.violations,
        keyOf: (row, replayed) => wants.violations?.keyOf(row, replayed, scope),
        steps: spools.steps,
      },
      pace,
      onProgress: (part) => onProgress(evaluatingPart + part * (1 - evaluatingPart)),
    });
    const ids = policies.counted.map(({ fact: { id } }) => id);
    const predictions = wants.predictions
      ? await gatherPredictions(reader, scope, { policies: ids, methods, signal })
      : undefined;
    const remediations = wants.remediations
      ? await gatherRemediations(reader, scope, new Set(ids), pace)
      : undefined;
    const cost = wants.costOverTime ? await costOverTime(costParts) : await findings?.facts();
    const facts: Facts = {
      order,
      scope,
      policies: policies.counted.map(({ fact }) => fact),
      disabled: policies.disabled,
      evaluations,
      violations,
      exemptions: await gatherExemptions(reader, scope, { names: policies.names, covered }, pace),
      scans: await gatherScans(reader, scope, pace),
      ...defined({ pending: pending ?? (await readPending(reader, deps.clock.now(), signal)) }),
      ...defined({ predictions, remediations, cost }),
      ...(wants.audit ? { audit: await gatherAudit(reader, scope, pace) } : {}),
      titleOf: await titlesIn(reader),
      people: await gatherPeople(reader, pace),
    };
    const compare = wants.violations?.compare?.(facts);
    const rows = await spools.violations?.finish(compare);
    const steps = await spools.steps?.finish();
    const all = await spools.evaluations?.finish();
    const undecidedRows = await spools.undecided?.finish();
    return {
      facts: {
        ...facts,
        violations: { ...violations, ...(rows ? { rows } : {}), ...(steps ? { steps } : {}) },
        evaluations: {
          ...evaluations,
          ...(all ? { rows: all } : {}),
          ...(undecidedRows ? { undecidedRows } : {}),
        },
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
