import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { anyOf, listLookedUp } from '../http/paging.ts';
import type { FindStatementKey } from '../keys/statement-key.ts';
import { namesOfActors } from '../auth/service.ts';
import { idOfNamed } from '../users/service.ts';
import { auditLog } from './collection.ts';
import { showHead } from './head.ts';
import { rangeReader } from './range.ts';

export const auditLogHandlers = (deps: Deps, findKey: FindStatementKey): Handlers['auditLog'] => ({
  head: async () => ({ body: toJson(await showHead(deps, findKey)) }),
  list: async ({ query }) => {
    const { since = '', until = '', actor: who } = query;
    const filters = {
      ...anyOf(query, ['action', 'subject']),
      ...(who === undefined ? {} : { actor: { any: [await idOfNamed(deps.store, 'actor', who)] } }),
      ...(since + until === '' ? {} : { range: { any: [since, until] } }),
    };
    return listLookedUp(rangeReader(deps.store), auditLog, {
      query,
      filters,
      beside: async (rows) => ({
        actors: await namesOfActors(
          deps.store,
          rows.map(({ doc }) => doc),
        ),
      }),
      plural: 'audit_log',
      show: ({ doc }) => toJson(doc),
    });
  },
});
