import { normaliser } from '../../normaliser.ts';
import { at, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { configuration } from '../config-item.ts';

export const acmCertificate = normaliser({
  types: ['AWS::CertificateManager::Certificate'],
  source: 'AWS Certificate Manager API Reference, API version 2015-12-08',
  attributes: {
    expires_at: { type: 'timestamp', meaning: 'NotAfter' },
    status: { type: 'string', meaning: 'status of the certificate, such as `ISSUED`' },
    key_algorithm: {
      type: 'string',
      meaning: 'key algorithm of the certificate, such as `RSA_2048` or `EC_prime256v1`',
      absent: 'RSA_2048',
    },
  },
  from: {
    cloudformation: ({ properties }) => ({
      key_algorithm: text(at(properties, 'KeyAlgorithm')),
    }),
    terraform: ({ properties }) => ({
      // A certificate that the plan creates has neither date nor status yet.
      expires_at: text(planned(properties, 'not_after') || undefined),
      status: text(planned(properties, 'status') || undefined),
      key_algorithm: text(planned(properties, 'key_algorithm')),
    }),
    'aws-config': (raw) => ({
      expires_at: text(configuration(raw, 'notAfter')),
      status: text(configuration(raw, 'status')),
      key_algorithm: apiAlgorithm(configuration(raw, 'keyAlgorithm')),
    }),
  },
});

/** The API writes `RSA-2048` where CloudFormation and Terraform have `RSA_2048`. */
function apiAlgorithm(value: unknown): unknown {
  const word = text(value);
  return typeof word === 'string' ? word.replaceAll('-', '_') : word;
}
