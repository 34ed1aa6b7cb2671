import type { Handlers } from '../call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { listPage } from '../paging.ts';
import { auditLog } from './service.ts';

export const auditLogHandlers = (deps: Deps): Handlers['auditLog'] => ({
  list: ({ query }) => {
    const filters = Object.fromEntries(
      (['actor', 'action', 'subject'] as const).flatMap((field) => {
        const value = query[field];
        return value === undefined ? [] : [[field, { any: [value] }]];
      }),
    );
    return listPage(deps.store, auditLog, query, filters, 'audit_log', ({ doc }) => toJson(doc));
  },
});
