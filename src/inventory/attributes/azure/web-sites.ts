import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { planned } from '../aws/plan-value.ts';
import { asWritten } from '../aws/policy-document.ts';
import { joinedAttribute } from '../joined.ts';
import { normaliser } from '../normaliser.ts';
import type { Related } from '../related.ts';
import { flag, hasItems, isUnknown, mapList, text, textMap } from '../values.ts';
import { at, isListed, parentOf, partsOf, minimumTls } from './read-azure.ts';
import { tlsVersions } from '../tls-version.ts';

const siteType = 'Azure::Web::sites';
const slotType = `${siteType}/slots`;

/** Apps, and their deployment slots, which have addresses and settings of their own. */
export const webSites = normaliser({
  types: [siteType, slotType],
  source: 'Azure Resource Manager template reference, Microsoft.Web/sites, 2022-09-01',
  attributes: {
    'tls.required': { type: 'bool', meaning: 'httpsOnly', absent: false },
    'tls.minimum_version': {
      type: 'string',
      spelling: tlsVersions,
      meaning: 'siteConfig.minTlsVersion',
      absent: '1.2',
      source: 'Azure App Service, TLS/SSL settings, 2018-06-30: default of apps created since then',
    },
    ftp_state: {
      type: 'string',
      meaning: '`AllAllowed`, `FtpsOnly` or `Disabled`',
      spelling: ['AllAllowed', 'FtpsOnly', 'Disabled'],
      absent: 'AllAllowed',
      source:
        'Terraform Registry, azurerm_linux_web_app, 2022-03: AllAllowed in Azure; Disabled in Terraform types with linux or windows in their names; Flex Consumption has no FTP',
    },
    environment_variables: {
      type: 'map<string,string>',
      meaning:
        'app settings with their values; `@Microsoft.KeyVault(…)` refers to a secret. Unknown if a resource list omits them, as Azure does by default',
      absent: {},
    },
    remote_debugging: { type: 'bool', meaning: 'remote debugging is on', absent: false },
    'identity.enabled': {
      type: 'bool',
      meaning: 'the app has a system-assigned or user-assigned managed identity',
      absent: false,
    },
  },
  arguments: {
    appSettings: 'app_settings',
    httpsOnly: 'https_only',
    identity: 'identity',
    'siteConfig.ftpsState': 'site_config.ftps_state',
    'siteConfig.minTlsVersion': {
      azurerm_app_service: 'site_config.min_tls_version',
      azurerm_app_service_slot: 'site_config.min_tls_version',
      azurerm_function_app: 'site_config.min_tls_version',
      azurerm_function_app_slot: 'site_config.min_tls_version',
      azurerm_logic_app_standard: 'site_config.min_tls_version',
      azurerm_function_app_flex_consumption: 'site_config.minimum_tls_version',
      azurerm_linux_function_app: 'site_config.minimum_tls_version',
      azurerm_linux_function_app_slot: 'site_config.minimum_tls_version',
      azurerm_linux_web_app: 'site_config.minimum_tls_version',
      azurerm_linux_web_app_slot: 'site_config.minimum_tls_version',
      azurerm_windows_function_app: 'site_config.minimum_tls_version',
      azurerm_windows_function_app_slot: 'site_config.minimum_tls_version',
      azurerm_windows_web_app: 'site_config.minimum_tls_version',
      azurerm_windows_web_app_slot: 'site_config.minimum_tls_version',
    },
    'siteConfig.remoteDebuggingEnabled': 'site_config.remote_debugging_enabled',
  },
  from: {
    azure: (raw, related) => {
      const setting = settingsOf(raw, related);
      const identity = text(at(raw.properties, 'identity', 'type'));
      return {
        'tls.required': flag(at(raw.properties, 'httpsOnly')),
        'tls.minimum_version': minimumTls(setting('minTlsVersion')),
        ftp_state: text(setting('ftpsState')),
        environment_variables: appSettings(raw, related, setting('appSettings')),
        remote_debugging: flag(setting('remoteDebuggingEnabled')),
        'identity.enabled': isUnknown(identity) ? identity : /assigned/i.test(identity ?? ''),
      };
    },
    terraform: ({ properties, source }) => ({
      'tls.required': flag(planned(properties, 'https_only')),
      'tls.minimum_version': minimumTls(
        planned(properties, 'site_config', 'minimum_tls_version') ??
          planned(properties, 'site_config', 'min_tls_version'),
      ),
      ftp_state: text(planned(properties, 'site_config', 'ftps_state')) ?? ownDefault(source),
      environment_variables: writtenMap(planned(properties, 'app_settings')),
      remote_debugging: flag(planned(properties, 'site_config', 'remote_debugging_enabled')),
      'identity.enabled': hasItems(planned(properties, 'identity')),
    }),
  },
});

/** Terraform's newer types turn FTP off, where Azure would allow all; apps of the Flex Consumption plan have none. */
const ownDefault = (source: RawResource['source']): string | undefined =>
  /_(?:linux|windows)_|_flex_consumption$/.test(String(source['terraform_type']))
    ? 'Disabled'
    : undefined;

/**
 * A site's configuration stands in the site, or in a part of its own that is called `web` and wins. A list of sites leaves
 * most of it out.
 */
function settingsOf(raw: RawResource, related: Related): (name: string) => unknown {
  const parts = configOf(raw, related, 'web');
  const leftOut = isListed(raw) && parts.length === 0;
  return (name) =>
    parts.map((part) => at(part.properties, name)).find((value) => value !== undefined) ??
    at(raw.properties, 'siteConfig', name) ??
    (leftOut
      ? new UnknownValue(`${name}, which the resource list does not contain`, { present: false })
      : undefined);
}

const configOf = (raw: RawResource, related: Related, called: string) =>
  partsOf(raw, related, `${raw.type}/config`).filter((part) => nameOf(part) === called);

const nameOf = ({ name }: RawResource): string | undefined =>
  typeof name === 'string' ? name.toLowerCase() : undefined;

/** What a part of its own sets of a site; the rest stays as it is. */
export const webSiteConfigs = normaliser({
  types: [`${siteType}/config`, `${slotType}/config`],
  source: 'Azure Resource Manager template reference, Microsoft.Web/sites/config, 2022-09-01',
  attributes: {
    'tls.minimum_version': {
      type: 'string',
      spelling: tlsVersions,
      meaning: 'minTlsVersion in the `web` settings',
    },
    ftp_state: {
      type: 'string',
      meaning: 'ftpsState in the `web` settings: `AllAllowed`, `FtpsOnly` or `Disabled`',
      spelling: ['AllAllowed', 'FtpsOnly', 'Disabled'],
    },
    environment_variables: {
      type: 'map<string,string>',
      meaning: 'app settings in the `web` and `appsettings` settings, with their values',
      absent: {},
    },
    remote_debugging: { type: 'bool', meaning: 'remoteDebuggingEnabled in the `web` settings' },
    ...joinedAttribute('the app or slot', siteType),
  },
  from: {
    azure: (raw, related) => {
      const { properties } = raw;
      const named = nameOf(raw);
      const web = named === 'web' ? properties : undefined;
      return {
        'tls.minimum_version': minimumTls(at(web, 'minTlsVersion')),
        ftp_state: text(at(web, 'ftpsState')),
        environment_variables:
          named === 'appsettings' ? writtenMap(properties) : writtenPairs(at(web, 'appSettings')),
        remote_debugging: flag(at(web, 'remoteDebuggingEnabled')),
        joined: related.find(parentOf(raw), siteType, slotType) !== undefined,
      };
    },
  },
});

/** Pairs in the site's configuration, or a map in a part of its own that is called `appsettings`. */
function appSettings(raw: RawResource, related: Related, pairs: unknown) {
  const parts = configOf(raw, related, 'appsettings');
  // The part called `web` has them in templates only.
  if (parts.length === 0 && isListed(raw) && pairs === undefined) {
    return new UnknownValue('the app settings, which the resource list does not contain', {
      present: false,
    });
  }
  const maps = [writtenPairs(pairs), ...parts.map(({ properties }) => writtenMap(properties))];
  return maps.find(isUnknown) ?? Object.assign({}, ...maps);
}

const writtenPairs = (pairs: unknown) =>
  textMap(mapList(pairs, (one) => ({ Key: at(one, 'name'), Value: settingOf(at(one, 'value')) })));

function writtenMap(settings: unknown) {
  const map = textMap(settings);
  return isUnknown(map)
    ? map
    : Object.fromEntries(Object.entries(map).map(([name, value]) => [name, settingOf(value)]));
}

/** A secret parameter is a secret itself; any other value that only the deployment gives may refer to one. */
const settingOf = (value: unknown): unknown =>
  isUnknown(value) && value.parameter?.secret === true
    ? `\${${value.parameter.name}}`
    : asWritten(value);
