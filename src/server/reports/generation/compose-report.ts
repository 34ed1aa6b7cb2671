import { defined } from '../../../contract/defined.ts';
import type { PredictionMethod } from '../../../contract/predictions.ts';
import { composeModel, wantsOf } from '../../../report/content/compose.ts';
import type { ContentOrder } from '../../../report/content/order.ts';
import type { ReportModel } from '../../../report/model.ts';
import type { Deps } from '../../deps.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import type { CostSources } from '../gather/cost.ts';
import { gather } from '../gather/gather.ts';
import type { GatherOptions } from '../gather/gather.ts';

export interface Composed {
  readonly model: ReportModel;
  readonly source_scan_id?: string;
  /** Policies and resources that were looked at. */
  readonly policies: number;
  readonly resources: number;
  /** Lets go of what its rows are read from, which may be files on their way. */
  readonly close: () => Promise<void>;
}

/**
 * Gathers what a report tells, from what is stored. It reads in turns with other work, and keeps in memory what does not
 * grow with the number of resources; the rows of its tables are read when they are asked for.
 */
export type Compose = (
  deps: Deps,
  evaluation: Evaluation,
  order: ContentOrder,
  options: GatherOptions,
) => Promise<Composed>;

/**
 * @param methods of prediction that are on
 * @param organization whose policies these are
 */
export const createCompose =
  (
    methods: ReadonlySet<PredictionMethod>,
    costSources: CostSources,
    organization?: string,
  ): Compose =>
  async (deps, evaluation, given, options) => {
    const order = { ...given, ...defined({ organization }) };
    const { facts, close } = await gather(
      deps,
      evaluation,
      { order, wants: wantsOf(order) },
      { ...options, methods, costSources },
    );
    const { scans, policies, evaluations } = facts;
    return {
      model: composeModel(facts, `govctl ${deps.version}`),
      ...(scans.lastWhole ? { source_scan_id: scans.lastWhole.id } : {}),
      policies: policies.length,
      resources: evaluations.resources,
      close,
    };
  };
