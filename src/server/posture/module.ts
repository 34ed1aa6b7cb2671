import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import {
  outcomeShape,
  outcomes,
  scopeShape,
  scopes,
  standingShape,
  standings,
} from './collection.ts';
import { derivePosture } from './derive.ts';

export const postureModule = {
  collections: [
    stores(outcomes, outcomeShape),
    stores(scopes, scopeShape),
    stores(standings, standingShape),
  ],
  derive: derivePosture,
} satisfies Module;
