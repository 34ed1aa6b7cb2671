import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { evaluationWork } from './work.ts';

export const evaluationModule = { collections: [stores(evaluationWork)] } satisfies Module;
