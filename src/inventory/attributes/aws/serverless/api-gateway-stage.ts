import type { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, flag, isSet, isUnknown, mapList, text } from '../../values.ts';
import { planned } from '../plan-value.ts';

export const apiGatewayStage = normaliser({
  types: ['AWS::ApiGateway::Stage'],
  source: 'Amazon API Gateway REST API Reference, API version 2015-07-09',
  attributes: {
    'logging.enabled': { type: 'bool', meaning: 'access logs are written', absent: false },
    method_settings: {
      type: 'list',
      meaning: 'settings by method; methods without settings are neither logged nor cached',
      absent: [],
    },
    'method_settings[].path': {
      type: 'string',
      meaning: 'path and method, such as `/orders/GET`; `*/*` for all methods',
    },
    'method_settings[].logging_level': {
      type: 'string',
      meaning: 'level of execution logging: `OFF`, `ERROR` or `INFO`',
      spelling: 'upper',
      absent: 'OFF',
    },
    'method_settings[].cache.enabled': {
      type: 'bool',
      meaning: 'responses are cached',
      absent: false,
    },
    'method_settings[].cache.encrypted': {
      type: 'bool',
      meaning: 'the cache is encrypted',
      absent: false,
    },
  },
  arguments: {
    'AccessLogSetting.DestinationArn': 'access_log_settings.destination_arn',
    CacheDataEncrypted: 'settings.cache_data_encrypted of aws_api_gateway_method_settings',
    CachingEnabled: 'settings.caching_enabled',
    LoggingLevel: 'settings.logging_level of aws_api_gateway_method_settings',
  },
  from: {
    cloudformation: ({ properties }) => ({
      'logging.enabled': isSet(at(properties, 'AccessLogSetting', 'DestinationArn')),
      method_settings: mapList(at(properties, 'MethodSettings'), (settings) =>
        readSettings({
          path: pathOf(at(settings, 'ResourcePath'), at(settings, 'HttpMethod')),
          level: at(settings, 'LoggingLevel'),
          cached: at(settings, 'CachingEnabled'),
          encrypted: at(settings, 'CacheDataEncrypted'),
        }),
      ),
    }),
    terraform: (raw, related) => ({
      'logging.enabled': isSet(planned(raw.properties, 'access_log_settings', 'destination_arn')),
      method_settings: settingsOf(raw, related).map(({ properties }) =>
        readSettings({
          path: methodPath(text(at(properties, 'method_path'))),
          level: planned(properties, 'settings', 'logging_level'),
          cached: planned(properties, 'settings', 'caching_enabled'),
          encrypted: planned(properties, 'settings', 'cache_data_encrypted'),
        }),
      ),
    }),
    'aws-config': ({ properties }) => ({
      'logging.enabled': isSet(at(properties, 'accessLogSettings', 'destinationArn')),
      method_settings: Object.entries(at(properties, 'methodSettings') ?? {}).map(
        ([path, settings]) =>
          readSettings({
            path: methodPath(path),
            level: at(settings, 'loggingLevel'),
            cached: at(settings, 'cachingEnabled'),
            encrypted: at(settings, 'cacheDataEncrypted'),
          }),
      ),
    }),
  },
});

function readSettings(given: Readonly<Record<'path' | 'level' | 'cached' | 'encrypted', unknown>>) {
  return {
    path: given.path,
    logging_level: text(given.level) ?? 'OFF',
    cache: { enabled: flag(given.cached) ?? false, encrypted: flag(given.encrypted) ?? false },
  };
}

function pathOf(path: unknown, method: unknown): string | UnknownValue {
  const parts = [path, method].map((part) => text(part) ?? '*');
  return parts.find(isUnknown) ?? methodPath(parts.join('/'));
}

/**
 * A path and a method as all sources have them: a template begins a path with a slash and writes all of them as `/*`,
 * Terraform leaves the slash out, and the API encodes slashes as `~1`.
 */
function methodPath<T>(given: T): T | string {
  if (typeof given !== 'string') return given;
  const bare = given
    .replaceAll('~1', '/')
    .replaceAll(/\/{2,}/g, '/')
    .replace(/^\//, '');
  return bare === '*/*' ? bare : `/${bare}`;
}

const byStage = new WeakMap<Related, ReadonlyMap<string, readonly RawResource[]>>();

/** Terraform's settings name their stage by the API's id and the stage's name, or refer to it. */
function settingsOf(stage: RawResource, related: Related): RawResource[] {
  const index = byStage.get(related) ?? indexSettings(related);
  byStage.set(related, index);
  return [nameOfStage(stage), stage.address].flatMap((name) => index.get(name) ?? []);
}

function indexSettings(related: Related): ReadonlyMap<string, readonly RawResource[]> {
  const index = new Map<string, RawResource[]>();
  for (const settings of related.ofType('AWS::ApiGateway::MethodSettings')) {
    const name = nameOfStage(settings);
    const same = index.get(name);
    if (same) same.push(settings);
    else index.set(name, [settings]);
  }
  return index;
}

/** The same for a stage and for the settings that name it; of a stage that is referred to, its address. */
function nameOfStage({ address, properties }: RawResource): string {
  const { rest_api_id: api, stage_name: name } = properties;
  if (isUnknown(name)) return name.target ?? `one of ${address}`;
  return JSON.stringify([isUnknown(api) ? (api.target ?? address) : api, name]);
}
