import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import {
  bundleLanes,
  bundleShape,
  bundles,
  filesOf,
  manualEvidence,
  manualShape,
} from './collection.ts';

const keptMs = 400 * 24 * 3_600_000;

export const evidenceModule = {
  collections: [
    stores(bundles, bundleShape, {
      expiry: { orderBy: 'created_at', keptMs },
      files: filesOf,
    }),
    stores(manualEvidence, manualShape, {
      expiry: { orderBy: 'expires', keptMs },
      files: ({ file }) => [file ?? []].flat(),
    }),
  ],
  lanes: [{ spec: bundleLanes, owners: bundles.name, workIsOwner: true }],
} satisfies Module;
