import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { hasAny } from '../store/all-rows.ts';
import {
  holdsSecret,
  runShape,
  runs,
  scheduleLanes,
  scheduleShape,
  schedules,
} from './collection.ts';

export const schedulesModule = {
  collections: [
    // A secret that can't be opened fails visibly, and tells what to set anew.
    stores(schedules, scheduleShape, { sealed: { holds: holdsSecret } }),
    stores(runs, runShape),
  ],
  lanes: [{ spec: scheduleLanes, owners: schedules.name, workIsOwner: true }],
  needsKey: (store) => hasAny(store, schedules, { sealed: { any: ['yes'] } }),
} satisfies Module;
