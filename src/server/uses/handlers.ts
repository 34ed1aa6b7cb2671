import { defined } from '../../contract/defined.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import type { Use, uses as contract } from '../../contract/uses.ts';
import { namesOfActors } from '../auth/service.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { toJson } from '../json.ts';
import type { Json } from '../json.ts';
import { idOfNamed } from '../users/service.ts';
import type { UseRecord } from './record.ts';

export const useHandlers = (deps: Deps, record: Pick<UseRecord, 'list'>): Handlers['uses'] => ({
  async list({ query: asked }, call) {
    const { actor: who } = asked;
    const query =
      who === undefined ? asked : { ...asked, actor: await idOfNamed(deps.store, 'actor', who) };
    const { uses, hasMore, cursor } = await record.list(query, call.signal);
    const whose = uses.map((text) => {
      const { actor = '', credential = '' } = JSON.parse(text) as Partial<Use>;
      return { actor, via: credential };
    });
    const actors = toJson(await namesOfActors(deps.store, whose));
    const pagination = toJson({
      limit: query.limit,
      has_more: hasMore,
      ...defined({ next_cursor: cursor }),
    });
    const body = `{"uses":[${uses.join(',')}],"actors":${actors},"pagination":${pagination}}`;
    return { body: body as Json<ResponseBody<typeof contract.list>> }; // of the parts' JSON
  },
});
