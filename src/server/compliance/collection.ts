import type { CollectionSpec } from '../store/store.ts';
import type { Assessment } from './assess.ts';

/** The last assessment of each framework in each account. */
export const assessments: CollectionSpec<Assessment> = {
  name: 'assessments',
  order: { id: ({ id }) => id },
};
