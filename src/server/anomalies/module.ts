import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import {
  anomalies,
  anomalyLanes,
  anomalyShape,
  detectionShape,
  detections,
  keptDays,
} from './collection.ts';

export const anomaliesModule = {
  collections: [
    stores(anomalies, anomalyShape, {
      expiry: { orderBy: 'end', keptMs: keptDays * 86_400_000 },
    }),
    stores(detections, detectionShape),
  ],
  lanes: [{ spec: anomalyLanes, owners: detections.name, workIsOwner: true }],
} satisfies Module;
