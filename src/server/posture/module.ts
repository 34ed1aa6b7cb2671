import { scoreDaysKept } from '../../contract/governance.ts';
import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import {
  outcomeShape,
  outcomes,
  scopeShape,
  scoreDayShape,
  scoreDays,
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
    stores(scoreDays, scoreDayShape, {
      expiry: { orderBy: 'at', keptMs: scoreDaysKept * 86_400_000 },
    }),
  ],
  derive: derivePosture,
} satisfies Module;
