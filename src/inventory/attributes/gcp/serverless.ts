import { normaliser } from '../normaliser.ts';
import { at, isUnknown, text } from '../values.ts';
import { iamBindings } from './iam.ts';
import type { IamParts } from './iam.ts';
import { fromGoogle } from './read-google.ts';

const functionIam: IamParts = {
  types: 'GCP::Cloudfunctions::FunctionIam',
  of: (part) => part.properties['cloud_function'],
};

const serviceIam: IamParts = {
  types: 'GCP::Run::ServiceIam',
  of: (part) => part.properties['service'] ?? part.properties['name'],
};

export const cloudFunction = normaliser({
  types: ['GCP::Cloudfunctions::Function'],
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
  from: fromGoogle((get, raw, related) => {
    const own = iamBindings(raw, related, functionIam);
    const service = related.find(get('serviceConfig', 'service'));
    const behind = service ? iamBindings(service, related, serviceIam) : [];
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
  attributes: {
    'iam.bindings': { type: 'list<Binding>', meaning: "the service's IAM policy", absent: [] },
    ingress_mode: {
      type: 'string',
      meaning: '`all`, `internal` or `internal-and-cloud-load-balancing`',
      absent: 'all',
    },
  },
  from: fromGoogle((get, raw, related) => ({
    'iam.bindings': iamBindings(raw, related, serviceIam),
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

function ingressMode(value: unknown) {
  const mode = text(value);
  return mode === undefined || isUnknown(mode) ? mode : (modes.get(mode) ?? mode);
}
