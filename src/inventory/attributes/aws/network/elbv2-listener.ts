import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { and, every, hasItems, isOneOf, some, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { tlsOfPolicy } from '../tls-policy.ts';
import { isAcmCertificate } from './certificate.ts';

const fromApi = ({ properties }: RawResource, related: Related) => {
  const certificates = field(properties, 'Certificates');
  return {
    protocol: text(field(properties, 'Protocol')),
    redirects_to_https: some(field(properties, 'DefaultActions'), (action) =>
      and(
        isOneOf(field(action, 'Type'), 'redirect'),
        isOneOf(field(action, 'RedirectConfig', 'Protocol'), 'HTTPS'),
      ),
    ),
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
  attributes: {
    protocol: {
      type: 'string',
      meaning: '`HTTP`, `HTTPS`, `TCP`, `TLS`, `UDP`, `TCP_UDP` or `GENEVE`',
      spelling: ['HTTP', 'HTTPS', 'TCP', 'TLS', 'UDP', 'TCP_UDP', 'GENEVE'],
    },
    redirects_to_https: {
      type: 'bool',
      meaning: 'the default action redirects to HTTPS',
      absent: false,
    },
    security_policy: { type: 'string', meaning: 'such as `ELBSecurityPolicy-TLS13-1-2-2021-06`' },
    'tls.minimum_version': {
      type: 'string',
      meaning:
        "the oldest version of the security policy; `1.0` for ELBSecurityPolicy-2016-08, AWS's default for templates",
      absent: '1.0',
    },
    acm_certificate: {
      type: 'bool',
      meaning: 'has certificates, all from AWS Certificate Manager',
      absent: false,
    },
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: ({ properties }, related) => ({
      protocol: text(planned(properties, 'protocol') ?? defaultProtocol(properties)),
      redirects_to_https: some(planned(properties, 'default_action'), (action) =>
        and(
          isOneOf(planned(action, 'type'), 'redirect'),
          isOneOf(planned(action, 'redirect', 'protocol'), 'HTTPS'),
        ),
      ),
      security_policy: text(planned(properties, 'ssl_policy')),
      'tls.minimum_version': tlsOfPolicy(planned(properties, 'ssl_policy')),
      acm_certificate: isAcmCertificate(planned(properties, 'certificate_arn'), related),
    }),
  },
});
