import { isFormB } from '../../contract/events.ts';
import type { StoredEvent } from './collection.ts';

export { sampleData } from './samples.ts';

/**
 * The exact text that a webhook gets for an event, the same each time: `data` is put in as it was stored.
 * @param webhookId absent where no webhook was asked for
 */
export function envelopeOf({ id, type, created, data }: StoredEvent, webhookId?: string): string {
  if (!isFormB(type)) {
    return `{"id":${JSON.stringify(id)},"type":"${type}","created":"${created}","data":${data}}`;
  }
  const to = webhookId === undefined ? '' : `"webhook_id":${JSON.stringify(webhookId)},`;
  return `{"event":"${type}","timestamp":"${created}",${to}"data":${data}}`;
}
