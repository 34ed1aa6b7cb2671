import { normaliser } from '../normaliser.ts';
import { eitherWord, isUnknown } from '../values.ts';
import { fromGoogle, itemValue } from './read-google.ts';
import type { Get } from './read-google.ts';

export const servicePerimeter = normaliser({
  types: ['GCP::Accesscontextmanager::ServicePerimeter'],
  source:
    'Access Context Manager API v1 reference, accessPolicies.servicePerimeters, as of 2025-06',
  attributes: {
    perimeter_type: {
      type: 'string',
      spelling: ['regular', 'bridge'],
      meaning:
        'type of the perimeter: `regular`, or `bridge`, which connects perimeters and protects nothing itself',
      absent: 'regular',
    },
    restricted_services: {
      type: 'list<string>',
      meaning:
        'services that the perimeter protects, such as `storage.googleapis.com`, except those in the dry run configuration',
      absent: [],
    },
    protected_projects: {
      type: 'list<string>',
      meaning: 'projects and networks in the perimeter, such as `projects/123456`',
      absent: [],
    },
    access_levels: {
      type: 'list<string>',
      meaning: 'access levels that allow access from outside the perimeter',
      absent: [],
    },
  },
  arguments: {
    'status.restrictedServices': 'status.restricted_services',
  },
  from: fromGoogle((get) => {
    const bridge = eitherWord(
      inEitherCase(get, 'perimeterType'),
      ['PERIMETER_TYPE_BRIDGE'],
      ['PERIMETER_TYPE_REGULAR'],
    );
    const status = (name: string): unknown => itemValue(get('status'), name);
    return {
      perimeter_type:
        bridge === undefined || isUnknown(bridge) ? bridge : bridge ? 'bridge' : 'regular',
      restricted_services: status('restrictedServices'),
      protected_projects: status('resources'),
      access_levels: status('accessLevels'),
    };
  }),
});

/** Exports of access policies write the names of the API in snake case. */
const inEitherCase = (get: Get, name: string): unknown => get(name) ?? itemValue(get(), name);
