import type { Deps } from '../../deps.ts';
import type { Sender } from '../../outbound/send.ts';
import type { SendToChannel } from '../deliver.ts';
import type { Surroundings } from './channel.ts';
import { createChatChannel } from './chat.ts';
import { createEmailChannel } from './email.ts';
import { createStorageChannel } from './object-storage.ts';
import { createSftpChannel } from './sftp.ts';
import { createTeamChatChannel } from './team-chat.ts';
import { sendToWebhook } from './webhook.ts';

export interface ChannelParts {
  readonly surroundings: Surroundings;
  /** To what users of the API may have it send to. */
  readonly send: Sender['send'];
  /** To wherever the operator says. */
  readonly sendAnywhere: Sender['send'];
}

/** All channels there are. */
export function createChannels(deps: Deps, parts: ChannelParts): SendToChannel {
  const { clock } = deps;
  const { surroundings, send, sendAnywhere } = parts;
  const { config } = surroundings;
  const email = createEmailChannel(config, clock);
  const chat = createChatChannel({ config, send: sendAnywhere, clock });
  const teamChat = createTeamChatChannel({ send, clock, config });
  const sftp = createSftpChannel({ deps, surroundings });
  const storage = createStorageChannel({ config, send, clock });
  return async (channel, message, options) => {
    switch (channel.kind) {
      case 'email':
        return email(channel, message, options.signal);
      case 'chat':
        return chat(channel, message, options.signal);
      case 'team_chat':
        return teamChat(channel, message, options.signal);
      case 'webhook':
        return sendToWebhook({ ...deps, send, config }, channel, message, options);
      case 'sftp':
        return sftp(channel, message, options.signal);
      case 'object_storage':
        return storage(channel, message, options.signal);
    }
  };
}
