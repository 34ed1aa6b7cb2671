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
  if (typeof written === 'string' && /^arn:[^:]+:(acm|iam):/.test(written))
    return /^arn:[^:]+:acm:/.test(written);
  return isUnknown(certificate) ? certificate : false;
}
