import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { actions, images, remediationLanes, remediations } from './collection.ts';

const day = 86_400_000;
const kept = 400 * day;
/** Images of resources are large. */
const imagesKept = 90 * day;

export const remediationModule = {
  collections: [
    stores(remediations, { expiry: { orderBy: 'updated_at', keptMs: kept } }),
    stores(actions, { expiry: { orderBy: 'planned_at', keptMs: kept } }),
    stores(images, { expiry: { orderBy: 'at', keptMs: imagesKept } }),
  ],
  lanes: [{ spec: remediationLanes, owners: remediations.name }],
} satisfies Module;
