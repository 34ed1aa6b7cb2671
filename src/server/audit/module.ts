import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { auditEnds, auditLog } from './collection.ts';

export const auditModule = {
  collections: [
    keeps(auditLog, 'history', {
      archive: { orderBy: 'at', keptMs: (retention) => retention.audit_log },
    }),
    keeps(auditEnds, 'own'),
  ],
} satisfies Module;
