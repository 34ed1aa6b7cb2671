import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { anyOf, listPage } from '../http/paging.ts';
import type { FindStatementKey } from '../keys/statement-key.ts';
import { auditLog } from './collection.ts';
import { showHead } from './head.ts';

export const auditLogHandlers = (deps: Deps, findKey: FindStatementKey): Handlers['auditLog'] => ({
  head: async () => ({ body: toJson(await showHead(deps, findKey)) }),
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
