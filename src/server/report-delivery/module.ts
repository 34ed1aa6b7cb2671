import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { knownHosts, reportDeliveries, reportDeliveryLanes } from './collection.ts';

export const reportDeliveryModule = {
  collections: [
    stores(reportDeliveries, {
      sealed: {
        holds: ({ links }) => links !== undefined,
        // They are made anew for the next try.
        renew: ({ links: _, ...delivery }) => ({ doc: delivery, isNew: false }),
      },
    }),
    stores(knownHosts),
  ],
  lanes: [{ spec: reportDeliveryLanes, owners: reportDeliveries.name }],
} satisfies Module;
