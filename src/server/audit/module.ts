import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { auditLog } from './service.ts';

export const auditModule = {
  collections: [stores(auditLog, { stays: 'history' })],
} satisfies Module;
