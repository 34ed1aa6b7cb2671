import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { violationShape, violations } from './collection.ts';

export const violationsModule = {
  collections: [stores(violations, violationShape)],
} satisfies Module;
