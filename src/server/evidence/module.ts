import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { hasAny } from '../store/all-rows.ts';
import {
  bundleLanes,
  bundleShape,
  bundles,
  filesOf,
  manualEvidence,
  manualShape,
} from './collection.ts';

export const evidenceModule = {
  collections: [
    stores(bundles, bundleShape, {
      expiry: { orderBy: 'ended_at', keptMs: (retention) => retention.evidence },
      files: filesOf,
    }),
    stores(manualEvidence, manualShape, {
      expiry: {
        orderBy: 'ended_at',
        keptMs: (retention) => retention.evidence,
        // One that is being built may contain it.
        needed: async (reader) => {
          const isAnyBuilding = await hasAny(reader, bundles, { status: { any: ['building'] } });
          return () => isAnyBuilding;
        },
      },
      files: ({ file }) => [file ?? []].flat(),
    }),
  ],
  lanes: [{ spec: bundleLanes, owners: bundles.name, workIsOwner: true }],
} satisfies Module;
