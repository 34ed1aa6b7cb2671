import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { scans } from './collection.ts';

export const scansModule = { collections: [stores(scans)] } satisfies Module;
