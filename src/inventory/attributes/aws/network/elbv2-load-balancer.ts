import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { flag, isOneOf, not, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { supplementary } from '../config-item.ts';
import { planned } from '../plan-value.ts';
import { loadBalancerAttribute } from './load-balancer-attributes.ts';

const fromApi = (raw: RawResource, related: Related, attributes: unknown) => {
  const scheme = field(raw.properties, 'Scheme');
  const attribute = (key: string) => flag(loadBalancerAttribute(attributes, key));
  return {
    load_balancer_type: text(field(raw.properties, 'Type')),
    public_access: scheme === undefined ? undefined : not(isOneOf(scheme, 'internal')),
    'logging.enabled': attribute('access_logs.s3.enabled'),
    deletion_protection: attribute('deletion_protection.enabled'),
    drop_invalid_headers: attribute('routing.http.drop_invalid_header_fields.enabled'),
    'waf.enabled': hasWebAcl(raw, related),
  };
};

const protectedResource = ({ properties }: RawResource): unknown =>
  properties.ResourceArn ?? properties.resource_arn;

const hasWebAcl = (raw: RawResource, related: Related): boolean =>
  ['WAFv2', 'WAFRegional'].some(
    (service) =>
      related.referring(raw, `AWS::${service}::WebACLAssociation`, protectedResource).length > 0,
  );

export const elbv2LoadBalancer = normaliser({
  types: ['AWS::ElasticLoadBalancingV2::LoadBalancer'],
  source: 'Elastic Load Balancing API Reference, API version 2015-12-01',
  attributes: {
    load_balancer_type: {
      type: 'string',
      meaning: '`application`, `network` or `gateway`',
      spelling: ['application', 'network', 'gateway'],
      absent: 'application',
    },
    public_access: { type: 'bool', meaning: 'the scheme is internet-facing', absent: true },
    'logging.enabled': { type: 'bool', meaning: 'access logs are written to S3', absent: false },
    deletion_protection: { type: 'bool', meaning: 'deletion protection is on', absent: false },
    drop_invalid_headers: {
      type: 'bool',
      meaning: 'the Application Load Balancer drops invalid HTTP headers',
      absent: false,
    },
    'waf.enabled': { type: 'bool', meaning: 'a web ACL is associated', absent: false },
  },
  arguments: {
    'access_logs.s3.enabled': 'access_logs.enabled',
    'deletion_protection.enabled': 'enable_deletion_protection',
    'routing.http.drop_invalid_header_fields.enabled': 'drop_invalid_header_fields',
  },
  from: {
    cloudformation: (raw, related) =>
      fromApi(raw, related, field(raw.properties, 'LoadBalancerAttributes')),
    'aws-config': (raw, related) =>
      fromApi(
        raw,
        related,
        field(raw.properties, 'LoadBalancerAttributes') ??
          supplementary(raw, 'LoadBalancerAttributes'),
      ),
    terraform: (raw, related) => {
      const own = (...names: string[]): unknown => planned(raw.properties, ...names);
      const internal = flag(own('internal'));
      return {
        load_balancer_type: text(own('load_balancer_type')),
        public_access: internal === undefined ? undefined : not(internal),
        'logging.enabled': flag(own('access_logs', 'enabled')),
        deletion_protection: flag(own('enable_deletion_protection')),
        drop_invalid_headers: flag(own('drop_invalid_header_fields')),
        'waf.enabled': hasWebAcl(raw, related),
      };
    },
  },
});
