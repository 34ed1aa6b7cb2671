import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import {
  actionShape,
  actions,
  automationLanes,
  automationShape,
  automations,
  imageShape,
  images,
  queue,
  queuedShape,
  remediationLanes,
  remediationShape,
  remediations,
} from './collection.ts';
import { automateOlder } from './queue.ts';

const day = 86_400_000;
const kept = 400 * day;
/** Images of resources are large. */
const imagesKept = 90 * day;

export const remediationModule = {
  collections: [
    stores(remediations, remediationShape, { expiry: { orderBy: 'updated_at', keptMs: kept } }),
    stores(actions, actionShape, { expiry: { orderBy: 'planned_at', keptMs: kept } }),
    stores(images, imageShape, { expiry: { orderBy: 'at', keptMs: imagesKept } }),
    stores(automations, automationShape),
    stores(queue, queuedShape),
  ],
  lanes: [
    { spec: remediationLanes, owners: remediations.name, workIsOwner: true },
    { spec: automationLanes, owners: automations.name, workIsOwner: true },
  ],
  derive: automateOlder,
} satisfies Module;
