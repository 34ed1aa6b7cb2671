import type { Module } from '../module.ts';
import { partOf, stores } from '../module.ts';
import { bundles } from '../evidence/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { scanShape, scans } from './collection.ts';
import type { StoredScan } from './collection.ts';
import { sampleShape, scanSamples } from './samples.ts';
import { lastWholeScan } from './service.ts';

/** The newest of the whole inventory, on which reports and evidence are based, and those of bundles that are being built. */
async function neededScans(reader: Reader): Promise<(scan: StoredScan) => boolean> {
  const ids = new Set([(await lastWholeScan(reader))?.id]);
  for await (const { doc } of allRows(reader, bundles, { status: { any: ['building'] } })) {
    ids.add(doc.cut.scan_id);
  }
  return ({ id }) => ids.has(id);
}

export const scansModule = {
  collections: [
    stores(scans, scanShape, {
      expiry: {
        orderBy: 'completed_at',
        keptMs: (retention) => retention.scans,
        needed: neededScans,
        parts: (scan) => [partOf(scanSamples, 'scan_id', scan)],
      },
    }),
    stores(scanSamples, sampleShape),
  ],
} satisfies Module;
