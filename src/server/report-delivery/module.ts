import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import {
  knownHostShape,
  knownHosts,
  reportDeliveries,
  reportDeliveryLanes,
  reportDeliveryShape,
} from './collection.ts';

export const reportDeliveryModule = {
  collections: [
    stores(reportDeliveries, reportDeliveryShape, {
      sealed: {
        holds: ({ links }) => links !== undefined,
        // They are made anew for the next try.
        renew: ({ links: _, ...delivery }) => ({ doc: delivery, isNew: false }),
      },
    }),
    stores(knownHosts, knownHostShape),
  ],
  lanes: [{ spec: reportDeliveryLanes, owners: reportDeliveries.name }],
} satisfies Module;
