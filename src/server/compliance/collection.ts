import type { CollectionSpec } from '../store/store.ts';
import type { Assessment } from './assess.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { Key, keyed, shape } from '../shape.ts';
import { assessmentId } from './assess.ts';

/** The last assessment of each framework in each account. */
export const assessments: CollectionSpec<Assessment> = {
  name: 'assessments',
  order: { id: ({ id }) => id },
};

export const assessmentShape = keyed(
  shape<Assessment>({
    id: Key,
    framework: z.string(),
    account_id: z.string().optional(),
    score: z.number().min(0).max(100),
    told_score: z.number().min(0).max(100),
    status: z.enum(['COMPLIANT', 'NON_COMPLIANT']),
    failed: z.array(z.string()),
    partial: z.literal(true).optional(),
    assessed_at: Timestamp,
  }),
  assessmentId,
);
