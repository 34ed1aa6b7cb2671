import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { scans } from './collection.ts';
import { scanSamples } from './samples.ts';

export const scansModule = { collections: [stores(scans), stores(scanSamples)] } satisfies Module;
