import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import {
  assessmentShape,
  assessments,
  frameworkDefinitions,
  frameworkShape,
} from './collection.ts';

export const complianceModule = {
  collections: [stores(assessments, assessmentShape), stores(frameworkDefinitions, frameworkShape)],
} satisfies Module;
