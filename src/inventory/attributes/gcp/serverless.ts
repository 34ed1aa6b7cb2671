import { UnknownValue } from '../../../contract/resources.ts';
import { normaliser } from '../normaliser.ts';
import { at, isSet, isUnknown, text, unlike } from '../values.ts';
import { iamBindings, iamOf } from './iam.ts';
import { fromGoogle, isAsset } from './read-google.ts';

export const cloudFunction = normaliser({
  types: ['GCP::Cloudfunctions::Function'],
  source: 'Cloud Functions API v2 reference, functions, as of 2025-06',
  attributes: {
    'iam.bindings': {
      type: 'list<Binding>',
      meaning: 'of the function and of the Cloud Run service behind it',
      absent: [],
    },
    ingress_mode: {
      type: 'string',
      meaning: '`all`, `internal` or `internal-and-cloud-load-balancing`',
      absent: 'all',
    },
  },
  arguments: {
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
          ? new UnknownValue('the IAM policy of the service behind it, which is not in the export')
          : [];
    return {
      'iam.bindings': isUnknown(own) ? own : isUnknown(behind) ? behind : [...own, ...behind],
      ingress_mode: ingressMode(get('serviceConfig', 'ingressSettings')),
    };
  }),
});

/** Services of the first API version keep the mode in an annotation. */
const annotation = 'run.googleapis.com/ingress';

export const runService = normaliser({
  types: ['GCP::Run::Service'],
  source: 'Cloud Run Admin API v2 reference, services, as of 2025-06',
  attributes: {
    'iam.bindings': { type: 'list<Binding>', meaning: "the service's IAM policy", absent: [] },
    ingress_mode: {
      type: 'string',
      meaning: '`all`, `internal` or `internal-and-cloud-load-balancing`',
      absent: 'all',
    },
  },
  arguments: {
    'ingress: internal-and-cloud-load-balancing': {
      google_cloud_run_service:
        '"run.googleapis.com/ingress" = "internal-and-cloud-load-balancing"',
      google_cloud_run_v2_service: 'ingress = "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER"',
    },
  },
  from: fromGoogle((get, raw, related) => ({
    'iam.bindings': iamBindings(raw, related, iamOf.service),
    ingress_mode: ingressMode(get('ingress') ?? at(get('metadata', 'annotations'), annotation)),
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

const known = new Set(modes.values());

function ingressMode(value: unknown) {
  const mode = text(value);
  if (mode === undefined || mode === '' || isUnknown(mode)) return mode || undefined;
  return modes.get(mode) ?? (known.has(mode) ? mode : unlike(mode, 'a known value'));
}
