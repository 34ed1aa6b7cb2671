import { defined } from '../../../../contract/defined.ts';
import type { RawResource } from '../../../model.ts';
import { joinedAttribute } from '../../joined.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { flag, isOneOf, isUnknown, list, mapList, not, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { supplementary } from '../config-item.ts';
import { configured, planned } from '../plan-value.ts';
import { isAcmCertificate } from './certificate.ts';

export const elbLoadBalancer = normaliser({
  types: ['AWS::ElasticLoadBalancing::LoadBalancer'],
  source: 'Elastic Load Balancing API Reference, API version 2012-06-01',
  attributes: {
    public_access: { type: 'bool', meaning: 'the scheme is internet-facing', absent: true },
    'logging.enabled': { type: 'bool', meaning: 'access logs are written to S3', absent: false },
    cross_zone: {
      type: 'bool',
      meaning:
        'requests are distributed across the instances in all Availability Zones; on by default in Terraform, but not in AWS',
      absent: false,
    },
    listeners: { type: 'list', meaning: 'listeners of the load balancer', absent: [] },
    'listeners[].protocol': {
      type: 'string',
      meaning: '`HTTP`, `HTTPS`, `TCP` or `SSL`',
      spelling: ['HTTP', 'HTTPS', 'TCP', 'SSL'],
    },
    'listeners[].acm_certificate': {
      type: 'bool',
      meaning: 'the certificate of the listener is from AWS Certificate Manager',
      absent: false,
    },
    'listeners[].security_policy': {
      type: 'string',
      meaning: 'the predefined security policy, such as `ELBSecurityPolicy-TLS-1-2-2017-01`',
    },
  },
  arguments: {
    AccessLoggingPolicy: 'access_logs',
    CrossZone: 'cross_zone_load_balancing',
    Protocol: 'lb_protocol',
    SSLCertificateId: 'listener.ssl_certificate_id',
  },
  from: {
    cloudformation: ({ properties }, related) => ({
      public_access: isPublic(field(properties, 'Scheme')),
      'logging.enabled': flag(field(properties, 'AccessLoggingPolicy', 'Enabled')),
      cross_zone: flag(field(properties, 'CrossZone')),
      listeners: mapList(field(properties, 'Listeners'), (one) =>
        listener(
          field(one, 'Protocol'),
          field(one, 'SSLCertificateId'),
          policyOfTemplate(one, field(properties, 'Policies')),
          related,
        ),
      ),
    }),
    'aws-config': (raw, related) => {
      const attributes = supplementary(raw, 'LoadBalancerAttributes');
      return {
        public_access: isPublic(field(raw.properties, 'Scheme')),
        'logging.enabled': flag(field(attributes, 'AccessLog', 'Enabled')),
        cross_zone: flag(field(attributes, 'CrossZoneLoadBalancing', 'Enabled')),
        listeners: mapList(field(raw.properties, 'ListenerDescriptions'), (one) =>
          listener(
            field(one, 'Listener', 'Protocol'),
            field(one, 'Listener', 'SSLCertificateId'),
            predefined(field(one, 'PolicyNames')),
            related,
          ),
        ),
      };
    },
    terraform: (raw, related) => {
      const own = (...names: string[]): unknown => planned(raw.properties, ...names);
      const internal = flag(own('internal'));
      const logs = own('access_logs', 'bucket');
      return {
        public_access: internal === undefined ? undefined : not(internal),
        'logging.enabled':
          logs === undefined ? false : (flag(own('access_logs', 'enabled')) ?? true),
        cross_zone: flag(own('cross_zone_load_balancing')) ?? true,
        listeners: mapList(configured(raw.properties, 'listener'), (one) =>
          listener(
            planned(one, 'lb_protocol'),
            planned(one, 'ssl_certificate_id'),
            policyOfPlan(raw, planned(one, 'lb_port'), related),
            related,
          ),
        ),
      };
    },
  },
});

const isPublic = (scheme: unknown) =>
  scheme === undefined ? undefined : not(isOneOf(scheme, 'internal'));

function listener(protocol: unknown, certificate: unknown, policy: unknown, related: Related) {
  const name = text(protocol);
  return {
    ...(name === undefined ? {} : { protocol: isUnknown(name) ? name : name.toUpperCase() }),
    acm_certificate: isAcmCertificate(certificate, related),
    ...defined({ security_policy: policy }),
  };
}

const reference = 'Reference-Security-Policy';

/** A listener has the policies that it names; a policy may name the listener's port instead. */
function policyOfTemplate(listener: unknown, policies: unknown): unknown {
  const items = list(policies);
  const names = list(field(listener, 'PolicyNames'));
  const unknown = [items, names].find(isUnknown);
  if (unknown || isUnknown(items) || isUnknown(names)) return unknown;
  const port = text(field(listener, 'LoadBalancerPort'));
  const own = items.filter((policy) => {
    const of = list(field(policy, 'LoadBalancerPorts'));
    return (
      names.includes(field(policy, 'PolicyName')) ||
      (!isUnknown(of) && port !== undefined && of.some((one) => text(one) === port))
    );
  });
  const given = own.flatMap((policy) => {
    const attributes = list(field(policy, 'Attributes'));
    return isUnknown(attributes)
      ? [attributes]
      : attributes
          .filter((one) => field(one, 'Name') === reference)
          .map((one) => field(one, 'Value'));
  });
  return given[0] ?? predefined(names);
}

/** A policy may be attached by its own name, if it is one that AWS predefines. */
function predefined(names: unknown): unknown {
  const items = list(names);
  if (isUnknown(items)) return items;
  return items.find((name) => typeof name === 'string' && name.startsWith('ELBSecurityPolicy-'));
}

const sslPolicy = 'AWS::ElasticLoadBalancingV2::SslNegotiationPolicy';

/** What Terraform keeps of a classic load balancer beside it; of its other policies, only some are about TLS. */
export const elbPolicy = normaliser({
  types: [sslPolicy, 'AWS::ElasticLoadBalancingV2::LoadBalancerPolicy'],
  source: 'Elastic Load Balancing API Reference, API version 2012-06-01',
  attributes: {
    negotiates_tls: {
      type: 'bool',
      meaning: 'the policy sets the accepted TLS versions and ciphers',
    },
    security_policy: {
      type: 'string',
      meaning: 'the predefined security policy that the policy is based on',
    },
    ...joinedAttribute('the load balancer', 'AWS::ElasticLoadBalancing::LoadBalancer'),
  },
  from: {
    terraform: (raw, related) => ({
      negotiates_tls:
        raw.type === sslPolicy ||
        isOneOf(planned(raw.properties, 'policy_type_name'), 'SSLNegotiationPolicyType'),
      security_policy: referenceOf(
        planned(raw.properties, 'attribute') ?? planned(raw.properties, 'policy_attribute'),
      ),
      // Which listeners have another policy is said by a third resource.
      joined:
        raw.type === sslPolicy &&
        related.find(balancerOfPolicy(raw), 'AWS::ElasticLoadBalancing::LoadBalancer') !==
          undefined,
    }),
  },
});

function referenceOf(given: unknown): unknown {
  const attributes = list(given);
  if (isUnknown(attributes)) return attributes;
  return planned(
    attributes.find((one) => planned(one, 'name') === reference),
    'value',
  );
}

const balancerOfPolicy = ({ properties }: RawResource): unknown => properties.load_balancer;

function policyOfPlan(raw: RawResource, port: unknown, related: Related): unknown {
  for (const { properties } of related.referring(raw, sslPolicy, balancerOfPolicy)) {
    const found = referenceOf(planned(properties, 'attribute'));
    if (isUnknown(found) || (found !== undefined && planned(properties, 'lb_port') === port))
      return found;
  }
  return undefined;
}
