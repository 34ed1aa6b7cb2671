import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { auditEnds, auditLog } from './collection.ts';

export const auditModule = {
  collections: [stores(auditLog, { stays: 'history' }), stores(auditEnds, { stays: 'own' })],
} satisfies Module;
