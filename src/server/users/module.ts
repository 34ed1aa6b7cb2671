import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { hasAny } from '../store/all-rows.ts';
import { roles, users } from './collection.ts';

/** Who may sign in belongs to this server: snapshots do not include it. */
export const usersModule = {
  collections: [keeps(users, 'own'), keeps(roles, 'own')],
  needsKey: (store) => hasAny(store, users, { second_factor: { any: ['yes'] } }),
} satisfies Module;
