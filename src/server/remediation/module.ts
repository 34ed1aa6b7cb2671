import type { Module } from '../module.ts';
import { partOf, stores } from '../module.ts';
import {
  actionShape,
  actions,
  automationLanes,
  automationShape,
  automations,
  imageShape,
  openStatuses,
  remediationOfImage,
  images,
  queue,
  queuedShape,
  remediationLanes,
  remediationShape,
  remediations,
} from './collection.ts';
import type { StoredImage } from './collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { automateOlder } from './queue.ts';

const day = 86_400_000;
/** Images of resources are large. */
const imagesKept = 90 * day;

/** They may still be rolled back to. */
async function imagesOfOpen(reader: Reader): Promise<(image: StoredImage) => boolean> {
  const open = new Set<string>();
  for await (const { doc } of allRows(reader, remediations, { status: { any: openStatuses } })) {
    open.add(doc.id);
  }
  return (image) => open.has(remediationOfImage(image));
}

export const remediationModule = {
  collections: [
    stores(remediations, remediationShape, {
      expiry: {
        orderBy: 'ended_at',
        keptMs: (retention) => retention.remediations,
        parts: (remediation) => [
          partOf(images, 'remediation', remediation),
          partOf(actions, 'remediation', remediation),
        ],
      },
    }),
    stores(actions, actionShape),
    stores(images, imageShape, {
      expiry: {
        orderBy: 'at',
        keptMs: (retention) => Math.min(imagesKept, retention.remediations),
        needed: imagesOfOpen,
      },
    }),
    stores(automations, automationShape),
    stores(queue, queuedShape),
  ],
  lanes: [
    { spec: remediationLanes, owners: remediations.name, workIsOwner: true },
    { spec: automationLanes, owners: automations.name, workIsOwner: true },
  ],
  derive: automateOlder,
} satisfies Module;
