import type { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, isGiven, isUnknown, joinAll, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { openMethods, openMethodsAttribute } from './openapi.ts';

export const apiGatewayV2Api = normaliser({
  types: ['AWS::ApiGatewayV2::Api'],
  source: 'Amazon API Gateway Version 2 API Reference, API version 2018-11-29',
  attributes: openMethodsAttribute,
  arguments: { Body: 'body', Target: 'target' },
  from: {
    cloudformation: (raw, related) => {
      const own = (name: string): unknown => field(raw.properties, name);
      const created = isClosed(raw, related) ? [] : quickRoute(own('Target'), own('RouteKey'));
      return { open_methods: joinAll([openMethods(own('Body'), own('BodyS3Location')), created]) };
    },
    terraform: ({ properties }) => ({
      open_methods: joinAll([
        openMethods(planned(properties, 'body')),
        quickRoute(planned(properties, 'target'), planned(properties, 'route_key')),
      ]),
    }),
    // Its routes are resources of their own, which AWS Config does not record.
    'aws-config': () => ({}),
  },
});

/** A target makes a route of all requests, or of `RouteKey`, without authorization: `Target` in CreateApi, "quick create". */
function quickRoute(target: unknown, key: unknown): (string | UnknownValue)[] {
  const isCreated = isGiven(target);
  if (isUnknown(isCreated)) return [isCreated];
  return isCreated ? [text(key) ?? '$default'] : [];
}

/** Whether the template sets the authorization of the route that a target made. */
const isClosed = (raw: RawResource, related: Related): boolean =>
  related
    .referring(raw, 'AWS::ApiGatewayV2::ApiGatewayManagedOverrides', apiOfOverrides)
    .some(({ properties }) => {
      const type = text(at(properties, 'Route', 'AuthorizationType'));
      return type !== undefined && type !== 'NONE';
    });

const apiOfOverrides = ({ properties }: RawResource): unknown => properties.ApiId;
