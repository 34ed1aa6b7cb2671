import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { and, at, every, hasItems, isOneOf, mapList, not, or, some, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { tlsOfPolicy } from '../tls-policy.ts';
import { isAcmCertificate } from './certificate.ts';
import { tlsVersions } from '../../tls-version.ts';

/** What an action of a listener or of its rules does with a request. */
const readActions = (actions: unknown) =>
  mapList(actions, (action) => ({
    type: planned(action, 'type') ?? field(action, 'Type'),
    redirectsTo:
      planned(action, 'redirect', 'protocol') ?? field(action, 'RedirectConfig', 'Protocol'),
  }));

const redirectsToHttps = (actions: unknown) =>
  some(readActions(actions), (action) =>
    and(isOneOf(at(action, 'type'), 'redirect'), isOneOf(at(action, 'redirectsTo'), 'HTTPS')),
  );

/** Whether requests get further than to a redirect to HTTPS or to a fixed text; so without actions, too. */
const passesOn = (actions: unknown) => {
  const isFixed = every(readActions(actions), (action) =>
    isOneOf(at(action, 'type'), 'fixed-response'),
  );
  return not(and(hasItems(actions), or(redirectsToHttps(actions), isFixed)));
};

const listenerOfRule = ({ properties }: RawResource): unknown =>
  properties.ListenerArn ?? properties.listener_arn;

const servesRequests = (raw: RawResource, related: Related, actions: unknown) =>
  or(
    passesOn(actions),
    ...related
      .referring(raw, 'AWS::ElasticLoadBalancingV2::ListenerRule', listenerOfRule)
      .map(({ properties }) =>
        passesOn(planned(properties, 'action') ?? field(properties, 'Actions')),
      ),
  );

const fromApi = (raw: RawResource, related: Related) => {
  const { properties } = raw;
  const actions = field(properties, 'DefaultActions');
  const certificates = field(properties, 'Certificates');
  return {
    protocol: text(field(properties, 'Protocol')),
    redirects_to_https: redirectsToHttps(actions),
    serves_requests: servesRequests(raw, related, actions),
    security_policy: text(field(properties, 'SslPolicy')),
    'tls.minimum_version': tlsOfPolicy(field(properties, 'SslPolicy')),
    acm_certificate: and(
      hasItems(certificates),
      every(certificates, (one) => isAcmCertificate(field(one, 'CertificateArn'), related)),
    ),
  };
};

/** Only application load balancers have a default. Those of the gateway kind have neither protocols nor ports. */
const defaultProtocol = (listener: unknown) =>
  planned(listener, 'port') === undefined ? undefined : 'HTTP';

export const elbv2Listener = normaliser({
  types: ['AWS::ElasticLoadBalancingV2::Listener'],
  source: 'Elastic Load Balancing API Reference, API version 2015-12-01',
  attributes: {
    protocol: {
      type: 'string',
      meaning: '`HTTP`, `HTTPS`, `TCP`, `TLS`, `UDP`, `TCP_UDP` or `GENEVE`',
      spelling: ['HTTP', 'HTTPS', 'TCP', 'TLS', 'UDP', 'TCP_UDP', 'GENEVE', 'QUIC', 'TCP_QUIC'],
    },
    redirects_to_https: {
      type: 'bool',
      meaning: 'the default action redirects to HTTPS',
      absent: false,
    },
    serves_requests: {
      type: 'bool',
      meaning:
        'an action of the listener, or of its rules in the same input, does more than redirect to HTTPS or return a fixed response',
      absent: true,
    },
    security_policy: {
      type: 'string',
      meaning: 'security policy of the listener, such as `ELBSecurityPolicy-TLS13-1-2-2021-06`',
    },
    'tls.minimum_version': {
      type: 'string',
      spelling: tlsVersions,
      meaning:
        'earliest TLS version that the security policy accepts; `1.0` for ELBSecurityPolicy-2016-08, the AWS default for templates',
      absent: '1.0',
    },
    acm_certificate: {
      type: 'bool',
      meaning: 'the listener has certificates, all of them from AWS Certificate Manager',
      absent: false,
    },
  },
  arguments: {
    SslPolicy: 'ssl_policy',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: (raw, related) => {
      const { properties } = raw;
      const actions = planned(properties, 'default_action');
      return {
        protocol: text(planned(properties, 'protocol') ?? defaultProtocol(properties)),
        redirects_to_https: redirectsToHttps(actions),
        serves_requests: servesRequests(raw, related, actions),
        security_policy: text(planned(properties, 'ssl_policy')),
        'tls.minimum_version': tlsOfPolicy(planned(properties, 'ssl_policy')),
        acm_certificate: isAcmCertificate(planned(properties, 'certificate_arn'), related),
      };
    },
  },
});
