import type { Deps } from '../deps.ts';
import type { CreateLaneRunner, LaneRunner } from '../lanes/runner.ts';
import { mostLanes } from '../outbound/slots.ts';
import { reportDeliveryLanes } from './collection.ts';
import { createReportDeliverer } from './deliver.ts';
import type { DelivererOptions } from './deliver.ts';

/** The sending of reports to channels, from now until it is stopped. */
export const startReportDeliveries = (
  deps: Deps,
  { createRunner, ...options }: DelivererOptions & { readonly createRunner: CreateLaneRunner },
): LaneRunner =>
  createRunner(deps, {
    lanes: reportDeliveryLanes,
    most: mostLanes,
    perform: createReportDeliverer(deps, options),
  });
