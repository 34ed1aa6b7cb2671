import type { Deps } from '../deps.ts';
import type { CreateLaneRunner, LaneRunner } from '../lanes/runner.ts';
import { reportDeliveryLanes } from './collection.ts';
import { createReportDeliverer } from './deliver.ts';
import type { DelivererOptions } from './deliver.ts';

/** Channels that are sent to at once: each may be a slow server with a large file on its way. */
const mostAtOnce = 64;

/** The sending of reports to channels, from now until it is stopped. */
export const startReportDeliveries = (
  deps: Deps,
  { createRunner, ...options }: DelivererOptions & { readonly createRunner: CreateLaneRunner },
): LaneRunner =>
  createRunner(deps, {
    lanes: reportDeliveryLanes,
    most: mostAtOnce,
    perform: createReportDeliverer(deps, options),
  });
