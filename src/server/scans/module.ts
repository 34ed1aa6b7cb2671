import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { scanShape, scans } from './collection.ts';
import { sampleShape, scanSamples } from './samples.ts';

export const scansModule = {
  collections: [stores(scans, scanShape), stores(scanSamples, sampleShape)],
} satisfies Module;
