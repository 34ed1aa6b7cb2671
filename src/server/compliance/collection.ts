import type { CollectionSpec } from '../store/store.ts';
import type { Assessment } from './assess.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { Tags } from '../../contract/policies.ts';
import type { FrameworkDefinition } from '../../contract/frameworks.ts';
import { FrameworkId, FrameworkInput } from '../../contract/frameworks.ts';
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

/** A custom framework, or imported texts for a built-in one, stored in the form in which it is returned. */
export type StoredFramework = FrameworkDefinition;

export const frameworkDefinitions: CollectionSpec<StoredFramework> = {
  name: 'framework_definitions',
  order: {
    id: ({ id }) => id,
    name: ({ name }) => name,
    created_at: ({ created_at: at }) => at,
    updated_at: ({ updated_at: at }) => at,
  },
};

const { name, controls } = FrameworkInput.shape;

export const frameworkShape = shape<StoredFramework>({
  id: FrameworkId,
  name,
  version: name.optional(),
  tags: Tags.optional(),
  built_in: z.boolean(),
  controls,
  created_at: Timestamp,
  updated_at: Timestamp,
  created_by: z.string(),
});
