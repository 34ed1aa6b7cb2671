import type { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, flag, isGiven, isUnknown, mapList, text } from '../../values.ts';
import { planned } from '../plan-value.ts';

export const apiGatewayStage = normaliser({
  types: ['AWS::ApiGateway::Stage'],
  attributes: {
    'logging.enabled': { type: 'bool', meaning: 'access logs are written', absent: false },
    method_settings: {
      type: 'list',
      meaning: 'settings by method; methods without one are neither logged nor cached',
      absent: [],
    },
    'method_settings[].path': {
      type: 'string',
      meaning: 'path and method, such as `/orders/GET`; `*/*` for all',
    },
    'method_settings[].logging_level': {
      type: 'string',
      meaning: 'of the execution log: `OFF`, `ERROR` or `INFO`',
      absent: 'OFF',
    },
    'method_settings[].cache.enabled': {
      type: 'bool',
      meaning: 'answers are cached',
      absent: false,
    },
    'method_settings[].cache.encrypted': {
      type: 'bool',
      meaning: 'the cache is encrypted',
      absent: false,
    },
  },
  from: {
    cloudformation: ({ properties }) => ({
      'logging.enabled': isGiven(at(properties, 'AccessLogSetting', 'DestinationArn')),
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
      'logging.enabled': isGiven(planned(raw.properties, 'access_log_settings', 'destination_arn')),
      method_settings: settingsOf(raw, related).map(({ properties }) =>
        readSettings({
          path: text(at(properties, 'method_path')),
          level: planned(properties, 'settings', 'logging_level'),
          cached: planned(properties, 'settings', 'caching_enabled'),
          encrypted: planned(properties, 'settings', 'cache_data_encrypted'),
        }),
      ),
    }),
    'aws-config': ({ properties }) => ({
      'logging.enabled': isGiven(at(properties, 'accessLogSettings', 'destinationArn')),
      method_settings: Object.entries(at(properties, 'methodSettings') ?? {}).map(
        ([path, settings]) =>
          readSettings({
            path,
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
  const unknown = [path, method].find(isUnknown);
  return unknown ?? `${String(path ?? '*')}/${String(method ?? '*')}`.replaceAll('//', '/');
}

/** Terraform's settings name their stage by the API's id and the stage's name. */
const settingsOf = (stage: RawResource, related: Related): RawResource[] =>
  related
    .ofType('AWS::ApiGateway::MethodSettings')
    .filter(
      ({ properties }) =>
        isSame(properties.rest_api_id, stage.properties.rest_api_id) &&
        (isSame(properties.stage_name, stage.properties.stage_name) ||
          related.find(properties.stage_name) === stage),
    );

const isSame = (one: unknown, two: unknown): boolean =>
  isUnknown(one) && isUnknown(two)
    ? one.target !== undefined && one.target === two.target
    : one !== undefined && one === two;
