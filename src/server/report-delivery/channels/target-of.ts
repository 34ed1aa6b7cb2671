import type { StoredChannel } from './channel.ts';

/** Where a channel leads, in words for its owner: no secret, and nothing of an address that may hold one. */
export function targetOf(channel: StoredChannel): string {
  switch (channel.kind) {
    case 'email': {
      const [only = '', ...more] = channel.recipients;
      return more.length === 0 ? only : `${channel.recipients.length} recipients`;
    }
    case 'chat':
      return channel.channel;
    case 'team_chat':
      return channel.webhook_url === undefined
        ? (channel.webhook_url_env ?? '')
        : hostOf(channel.webhook_url);
    case 'webhook':
      return hostOf(channel.url);
    case 'sftp': {
      const host = channel.host.includes(':') ? `[${channel.host}]` : channel.host;
      const port = channel.port === undefined ? '' : `:${channel.port}`;
      return `sftp://${host}${port}/${channel.path.replace(/^\/+/, '')}`;
    }
    case 'object_storage': {
      const prefix = channel.prefix?.replace(/^\/+|\/+$/g, '') ?? '';
      return `s3://${channel.bucket}${prefix === '' ? '' : `/${prefix}`}`;
    }
  }
}

/** Paths and queries of incoming webhooks are their keys. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return 'an invalid URL';
  }
}
