import type { Client } from '../../client/client.ts';
import type { Drifted } from '../../project/compare/drift.ts';
import { withActorName } from '../audit/actor-name.ts';
import { isUnavailable } from '../objects/our-server.ts';

/** Objects whose editor is looked up: a request each. */
const mostLookedUp = 20;

/** Adds who edited each object last, where the service has an audit log that the token may read. */
export async function withEditors(
  client: Client,
  drifted: readonly Drifted[],
): Promise<readonly Drifted[]> {
  const named: Drifted[] = [];
  for (const one of drifted.slice(0, mostLookedUp)) {
    const found = await findEditor(client, one.id);
    if (!found) break;
    named.push({ ...one, ...found });
  }
  return [...named, ...drifted.slice(named.length)];
}

/** The actor of the newest change that no apply made. Undefined: this service does not tell. */
async function findEditor(
  client: Client,
  subject: string,
): Promise<Pick<Drifted, 'edited_by'> | undefined> {
  try {
    const { data } = await client.auditLog.list({
      query: { subject, sort_by: 'sequence', order: 'desc', limit: 10 },
    });
    const entry = data.audit_log.find(({ source }) => source === undefined);
    if (!entry) return {};
    return { edited_by: withActorName(entry, data.actors).actor_name ?? entry.actor };
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}
