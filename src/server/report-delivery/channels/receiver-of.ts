import { canonicalHost } from '../../config/binding.ts';
import type { StoredChannel } from './channel.ts';
import { objectUrl } from './object-storage.ts';
import { hostOf, targetOf } from './target-of.ts';

/** Who a channel leads to: deliveries to one receiver wait for each other. Where the operator says which host that is, its name. */
export function receiverOf(channel: StoredChannel): string {
  switch (channel.kind) {
    case 'email':
      return 'the mail server';
    case 'sftp':
      return `sftp://${canonicalHost(channel.host) ?? channel.host}`;
    case 'object_storage':
      return hostOf(objectUrl(channel, ''));
    default:
      return targetOf(channel);
  }
}
