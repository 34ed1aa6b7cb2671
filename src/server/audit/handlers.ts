import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { anyOf, listPage } from '../http/paging.ts';
import { auditLog } from './service.ts';

export const auditLogHandlers = (deps: Deps): Handlers['auditLog'] => ({
  list: ({ query }) => {
    const filters = anyOf(query, ['actor', 'action', 'subject']);
    return listPage(deps.store, auditLog, {
      query,
      filters,
      plural: 'audit_log',
      show: ({ doc }) => toJson(doc),
    });
  },
});
