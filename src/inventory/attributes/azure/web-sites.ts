import type { RawResource } from '../../model.ts';
import { planned } from '../aws/plan-value.ts';
import { normaliser } from '../normaliser.ts';
import type { Related } from '../related.ts';
import { at, flag, hasItems, isOneOf, isUnknown, text } from '../values.ts';
import { partsOf, tlsVersion } from './read-azure.ts';

export const webSites = normaliser({
  types: ['Azure::Web::sites'],
  attributes: {
    'tls.required': { type: 'bool', meaning: 'httpsOnly', absent: false },
    'tls.minimum_version': { type: 'string', meaning: 'siteConfig.minTlsVersion', absent: '1.2' },
    ftp_state: {
      type: 'string',
      meaning: '`AllAllowed`, `FtpsOnly` or `Disabled`',
      spelling: ['AllAllowed', 'FtpsOnly', 'Disabled'],
      absent: 'FtpsOnly',
    },
    remote_debugging: { type: 'bool', meaning: 'remote debugging is on', absent: false },
    'identity.enabled': {
      type: 'bool',
      meaning: 'has a system- or user-assigned managed identity',
      absent: false,
    },
  },
  from: {
    azure: (raw, related) => {
      const setting = settingsOf(raw, related);
      const identity = text(at(raw.properties, 'identity', 'type'));
      return {
        'tls.required': flag(at(raw.properties, 'httpsOnly')),
        'tls.minimum_version': tlsVersion(setting('minTlsVersion')),
        ftp_state: text(setting('ftpsState')),
        remote_debugging: flag(setting('remoteDebuggingEnabled')),
        'identity.enabled': isUnknown(identity)
          ? identity
          : identity !== undefined && isOneOf(identity, 'None') === false,
      };
    },
    terraform: ({ properties }) => ({
      'tls.required': flag(planned(properties, 'https_only')),
      'tls.minimum_version': tlsVersion(
        planned(properties, 'site_config', 'minimum_tls_version') ??
          planned(properties, 'site_config', 'min_tls_version'),
      ),
      ftp_state: text(planned(properties, 'site_config', 'ftps_state')),
      remote_debugging: flag(planned(properties, 'site_config', 'remote_debugging_enabled')),
      'identity.enabled': hasItems(planned(properties, 'identity')),
    }),
  },
});

/** A site's configuration stands in the site, or in a part of its own that is called `web` and wins. */
function settingsOf(raw: RawResource, related: Related): (name: string) => unknown {
  const parts = partsOf(raw, related, 'Azure::Web::sites/config').filter(
    ({ name }) => typeof name === 'string' && name.toLowerCase() === 'web',
  );
  return (name) =>
    parts.map((part) => at(part.properties, name)).find((value) => value !== undefined) ??
    at(raw.properties, 'siteConfig', name);
}
