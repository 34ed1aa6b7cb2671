import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { outcomes, scopes, standings } from './collection.ts';
import { derivePosture } from './derive.ts';

export const postureModule = {
  collections: [stores(outcomes), stores(scopes), stores(standings)],
  derive: derivePosture,
} satisfies Module;
