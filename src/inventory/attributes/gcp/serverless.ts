import { UnknownValue } from '../../../contract/resources.ts';
import { normaliser } from '../normaliser.ts';
import type { Attribute } from '../normaliser.ts';
import {
  at,
  flag,
  hasItems,
  isSet,
  isUnknown,
  list,
  mapList,
  not,
  text,
  textMap,
} from '../values.ts';
import { iamBindings, iamOf } from './iam.ts';
import { fromGoogle, isAsset, itemValue } from './read-google.ts';

const variables = {
  environment_variables: {
    type: 'map<string,string>',
    meaning:
      'runtime environment variables of the function with their values, except those from Secret Manager',
    absent: {},
  },
} as const satisfies Record<string, Attribute>;

export const cloudFunction = normaliser({
  types: ['GCP::Cloudfunctions::Function'],
  source: 'Cloud Functions API v2 reference, functions, as of 2025-06',
  attributes: {
    'iam.bindings': {
      type: 'list<Binding>',
      meaning: 'bindings of the function and of the underlying Cloud Run service',
      absent: [],
    },
    ...variables,
    ingress_mode: {
      type: 'string',
      spelling: ['all', 'internal', 'internal-and-cloud-load-balancing'],
      meaning: '`all`, `internal` or `internal-and-cloud-load-balancing`',
      absent: 'all',
    },
  },
  arguments: {
    'serviceConfig.secretEnvironmentVariables': 'service_config.secret_environment_variables',
    'serviceConfig.ingressSettings': 'service_config.ingress_settings',
  },
  from: fromGoogle((get, raw, related) => {
    const own = iamBindings(raw, related, iamOf.cloudFunction);
    const named = get('serviceConfig', 'service');
    const service = related.find(named);
    // In a plan, those who may call the service are bound to the function's own name.
    const behind =
      service || !isAsset(raw)
        ? iamBindings(service ?? raw, related, iamOf.service)
        : isSet(named) === true
          ? new UnknownValue(
              'the IAM policy of the underlying Cloud Run service, which is not in the export',
            )
          : [];
    return {
      'iam.bindings': isUnknown(own) ? own : isUnknown(behind) ? behind : [...own, ...behind],
      environment_variables: textMap(get('serviceConfig', 'environmentVariables')),
      ingress_mode: ingressMode(get('serviceConfig', 'ingressSettings')),
    };
  }),
});

export const firstCloudFunction = normaliser({
  types: ['GCP::Cloudfunctions::CloudFunction'],
  source: 'Cloud Functions API v1 reference, projects.locations.functions, as of 2025-06',
  attributes: variables,
  arguments: { secretEnvironmentVariables: 'secret_environment_variables' },
  from: fromGoogle((get) => ({
    environment_variables: textMap(get('environmentVariables')),
  })),
});

/** Of Cloud Run's services and jobs. */
const containerAttributes = {
  containers: { type: 'list', meaning: 'containers of an instance', absent: [] },
  'containers[].name': { type: 'string', meaning: 'name of the container' },
  'containers[].image': { type: 'string', meaning: 'image reference' },
  'containers[].environment_variables': {
    type: 'map<string,string>',
    meaning: 'environment variables with their values, except those from Secret Manager',
    absent: {},
  },
} as const satisfies Record<string, Attribute>;

const containersOf = (containers: unknown) =>
  mapList(containers, (container) => ({
    name: text(itemValue(container, 'name')),
    image: text(itemValue(container, 'image')),
    environment_variables: plainVariables(itemValue(container, 'env')),
  }));

/** A variable has a value, or a secret that the value comes from. */
function plainVariables(variables: unknown) {
  const items = list(variables);
  if (isUnknown(items)) return items;
  const fromSecret = items.map((one) =>
    hasItems(itemValue(one, 'valueSource') ?? itemValue(one, 'valueFrom')),
  );
  const plain = items.filter((_, index) => fromSecret[index] === false);
  return (
    fromSecret.find(isUnknown) ??
    textMap(plain.map((one) => ({ Key: itemValue(one, 'name'), Value: itemValue(one, 'value') })))
  );
}

/** Services of the first API version keep settings in annotations. */
const ingressAnnotation = 'run.googleapis.com/ingress';
const invokerAnnotation = 'run.googleapis.com/invoker-iam-disabled';

export const runService = normaliser({
  types: ['GCP::Run::Service'],
  source: 'Cloud Run Admin API v2 reference, services, as of 2025-06',
  attributes: {
    ...containerAttributes,
    'iam.bindings': { type: 'list<Binding>', meaning: "the service's IAM policy", absent: [] },
    ingress_mode: {
      type: 'string',
      spelling: ['all', 'internal', 'internal-and-cloud-load-balancing'],
      meaning: '`all`, `internal` or `internal-and-cloud-load-balancing`',
      absent: 'all',
    },
    invoker_iam_check: {
      type: 'bool',
      meaning:
        'callers need the invoker role; if false, anyone who reaches the service can call it',
      absent: true,
    },
  },
  arguments: {
    valueSource: {
      google_cloud_run_service: 'value_from',
      google_cloud_run_v2_service: 'value_source',
    },
    'ingress: internal-and-cloud-load-balancing': {
      google_cloud_run_service:
        '"run.googleapis.com/ingress" = "internal-and-cloud-load-balancing"',
      google_cloud_run_v2_service: 'ingress = "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER"',
    },
    'invokerIamDisabled: false': {
      google_cloud_run_service: '"run.googleapis.com/invoker-iam-disabled" = "false"',
      google_cloud_run_v2_service: 'invoker_iam_disabled = false',
    },
  },
  from: fromGoogle((get, raw, related) => ({
    containers: containersOf(
      get('template', 'containers') ??
        get('template', 'spec', 'containers') ??
        get('spec', 'template', 'spec', 'containers'),
    ),
    'iam.bindings': iamBindings(raw, related, iamOf.service),
    ingress_mode: ingressMode(
      get('ingress') ?? at(get('metadata', 'annotations'), ingressAnnotation),
    ),
    invoker_iam_check: not(
      flag(get('invokerIamDisabled') ?? at(get('metadata', 'annotations'), invokerAnnotation)),
    ),
  })),
});

export const runJob = normaliser({
  types: ['GCP::Run::Job'],
  source: 'Cloud Run Admin API v2 reference, jobs, as of 2025-06',
  attributes: containerAttributes,
  arguments: { valueSource: 'value_source' },
  from: fromGoogle((get) => ({
    containers: containersOf(
      get('template', 'template', 'containers') ??
        get('spec', 'template', 'spec', 'template', 'spec', 'containers'),
    ),
  })),
});

const modes = new Map([
  ['ALLOW_ALL', 'all'],
  ['ALLOW_INTERNAL_ONLY', 'internal'],
  ['ALLOW_INTERNAL_AND_GCLB', 'internal-and-cloud-load-balancing'],
  ['INGRESS_TRAFFIC_ALL', 'all'],
  ['INGRESS_TRAFFIC_INTERNAL_ONLY', 'internal'],
  ['INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER', 'internal-and-cloud-load-balancing'],
]);

function ingressMode(value: unknown) {
  const mode = text(value);
  if (mode === undefined || mode === '' || isUnknown(mode)) return mode || undefined;
  return modes.get(mode) ?? mode;
}
