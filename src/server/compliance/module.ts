import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { assessmentShape, assessments } from './collection.ts';

export const complianceModule = {
  collections: [stores(assessments, assessmentShape)],
} satisfies Module;
