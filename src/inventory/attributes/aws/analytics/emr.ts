import { normaliser } from '../../normaliser.ts';
import { and, at, flag, isGiven, or, readJson } from '../../values.ts';
import { planned } from '../plan-value.ts';

export const emrCluster = normaliser({
  types: ['AWS::EMR::Cluster'],
  source: 'Amazon EMR API Reference, API version 2009-03-31',
  attributes: {
    'kerberos.enabled': {
      type: 'bool',
      meaning: 'a Kerberos realm and a KDC administrator password are set',
      absent: false,
    },
  },
  arguments: {
    KerberosAttributes: 'kerberos_attributes',
  },
  from: {
    cloudformation: ({ properties }) =>
      kerberos(
        at(properties, 'KerberosAttributes', 'Realm'),
        at(properties, 'KerberosAttributes', 'KdcAdminPassword'),
      ),
    terraform: ({ properties }) =>
      kerberos(
        planned(properties, 'kerberos_attributes', 'realm'),
        planned(properties, 'kerberos_attributes', 'kdc_admin_password'),
      ),
  },
});

const kerberos = (realm: unknown, password: unknown) => ({
  'kerberos.enabled': and(isGiven(realm), isGiven(password)),
});

export const emrSecurityConfiguration = normaliser({
  types: ['AWS::EMR::SecurityConfiguration'],
  source: 'Amazon EMR API Reference, API version 2009-03-31',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'encryption at rest is on, with settings for S3 data or local disks',
      absent: false,
    },
    'tls.required': {
      type: 'bool',
      meaning: 'encryption in transit is on, and certificates are provided',
      absent: false,
    },
  },
  arguments: {
    AtRestEncryptionConfiguration: 'AtRestEncryptionConfiguration',
    EnableAtRestEncryption: 'EnableAtRestEncryption',
    EnableInTransitEncryption: 'EnableInTransitEncryption',
    InTransitEncryptionConfiguration: 'InTransitEncryptionConfiguration',
    SecurityConfiguration: 'configuration',
  },
  from: {
    cloudformation: ({ properties }) => encryption(at(properties, 'SecurityConfiguration')),
    terraform: ({ properties }) => encryption(at(properties, 'configuration')),
    'aws-config': ({ properties }) => encryption(at(properties, 'SecurityConfiguration')),
  },
});

/** The configuration is one JSON document, in a template also as an object. */
function encryption(configuration: unknown) {
  const settings = at(readJson(configuration), 'EncryptionConfiguration');
  const atRest = at(settings, 'AtRestEncryptionConfiguration');
  const certificates = at(
    settings,
    'InTransitEncryptionConfiguration',
    'TLSCertificateConfiguration',
  );
  return {
    'encryption.enabled': and(
      flag(at(settings, 'EnableAtRestEncryption')),
      or(
        isGiven(at(atRest, 'S3EncryptionConfiguration', 'EncryptionMode')),
        isGiven(at(atRest, 'LocalDiskEncryptionConfiguration', 'EncryptionKeyProviderType')),
      ),
    ),
    'tls.required': and(
      flag(at(settings, 'EnableInTransitEncryption')),
      isGiven(at(certificates, 'CertificateProviderType')),
    ),
  };
}
