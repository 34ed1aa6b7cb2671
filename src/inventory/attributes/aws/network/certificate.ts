import type { Related } from '../../related.ts';
import { isUnknown } from '../../values.ts';

/**
 * Whether a certificate comes from AWS Certificate Manager, told by its ARN or by the resource that it is. Absent →
 * false; not known stays unknown.
 */
export function isAcmCertificate(certificate: unknown, related: Related) {
  const found = related.find(certificate);
  if (found) return found.type === 'AWS::CertificateManager::Certificate';
  const written = isUnknown(certificate) ? certificate.text : certificate;
  const service =
    typeof written === 'string'
      ? /^arn:(?:[^:{}]+|\$\{[^}]*\}):(acm|iam):/.exec(written)?.[1]
      : undefined;
  if (service) return service === 'acm';
  return isUnknown(certificate) ? certificate : false;
}
