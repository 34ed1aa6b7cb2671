import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import type { Maybe } from '../../values.ts';
import {
  and,
  flag,
  isOneOf,
  isSet,
  isUnknown,
  list,
  mapList,
  not,
  number,
  or,
  some,
  text,
} from '../../values.ts';
import { field } from '../api-field.ts';
import { configured, planned } from '../plan-value.ts';
import { tlsVersions } from '../../tls-version.ts';

export const cloudfrontDistribution = normaliser({
  types: ['AWS::CloudFront::Distribution'],
  source: 'Amazon CloudFront API Reference, API version 2020-05-31',
  attributes: {
    behaviors: { type: 'list', meaning: 'the default and other cache behaviors', absent: [] },
    'behaviors[].path_pattern': {
      type: 'string',
      meaning: 'path pattern of the cache behavior; `*` for the default behavior',
      absent: '*',
    },
    'behaviors[].viewer_protocol_policy': {
      type: 'string',
      meaning: '`allow-all`, `redirect-to-https` or `https-only`',
      spelling: ['allow-all', 'redirect-to-https', 'https-only'],
      absent: 'allow-all',
    },
    'tls.minimum_version': {
      type: 'string',
      spelling: tlsVersions,
      meaning: 'minimum TLS version; `1.0` with the default CloudFront certificate',
      absent: '1.0',
    },
    'tls.sni': {
      type: 'bool',
      meaning: 'HTTPS requests are served with SNI instead of a dedicated IP address',
      absent: false,
    },
    custom_certificate: {
      type: 'bool',
      meaning:
        'the distribution has a custom certificate instead of the default CloudFront certificate',
      absent: false,
    },
    default_root_object: {
      type: 'string',
      meaning: 'default root object, returned for requests to `/`',
    },
    origins: { type: 'list', meaning: 'origins of the distribution', absent: [] },
    'origins[].s3': {
      type: 'bool',
      meaning: 'the origin is an S3 bucket, not an S3 website endpoint',
      absent: false,
    },
    'origins[].access_identity': {
      type: 'bool',
      meaning:
        'requests to the origin are signed with an origin access control or an origin access identity',
      absent: false,
    },
    origin_failover: {
      type: 'bool',
      meaning: 'an origin group has a second origin for failover',
      absent: false,
    },
    'waf.enabled': { type: 'bool', meaning: 'a web ACL is associated', absent: false },
    'logging.enabled': { type: 'bool', meaning: 'access logs are written', absent: false },
  },
  arguments: {
    AcmCertificateArn: 'viewer_certificate.acm_certificate_arn',
    DefaultRootObject: 'default_root_object',
    'Logging.Bucket': 'logging_config.bucket',
    MinimumProtocolVersion: 'viewer_certificate.minimum_protocol_version',
    OriginAccessControlId: 'origin_access_control_id',
    OriginGroups: 'origin_group',
    SslSupportMethod: 'viewer_certificate.ssl_support_method',
    ViewerProtocolPolicy: 'viewer_protocol_policy',
    WebACLId: 'web_acl_id',
  },
  from: {
    cloudformation: (raw, related) => fromApi(raw, related),
    'aws-config': (raw, related) => ({
      ...fromApi(raw, related),
      'logging.enabled': flag(field(raw.properties, 'DistributionConfig', 'Logging', 'Enabled')),
    }),
    terraform: ({ properties }, related) => {
      const own = (...names: string[]): unknown => planned(properties, ...names);
      return {
        behaviors: behaviors(
          own('default_cache_behavior'),
          configured(properties, 'ordered_cache_behavior'),
          (one) => behavior(planned(one, 'path_pattern'), planned(one, 'viewer_protocol_policy')),
        ),
        ...certificate({
          own: [
            own('viewer_certificate', 'acm_certificate_arn'),
            own('viewer_certificate', 'iam_certificate_id'),
          ],
          isDefault: own('viewer_certificate', 'cloudfront_default_certificate'),
          version: own('viewer_certificate', 'minimum_protocol_version'),
          support: own('viewer_certificate', 'ssl_support_method'),
        }),
        default_root_object: text(own('default_root_object')) || undefined,
        origins: mapList(configured(properties, 'origin'), (one) =>
          origin(
            {
              domain: planned(one, 'domain_name'),
              isCustom: hasBlock(planned(one, 'custom_origin_config')),
              identity: planned(one, 's3_origin_config', 'origin_access_identity'),
              control: planned(one, 'origin_access_control_id'),
            },
            related,
          ),
        ),
        origin_failover: some(own('origin_group'), (group) =>
          isTwo(planned(group, 'member'), undefined),
        ),
        'waf.enabled': isSet(own('web_acl_id')),
        'logging.enabled': isSet(own('logging_config', 'bucket')),
      };
    },
  },
});

function fromApi({ properties }: RawResource, related: Related) {
  const given = (...names: string[]): unknown => field(properties, 'DistributionConfig', ...names);
  return {
    behaviors: behaviors(given('DefaultCacheBehavior'), items(given('CacheBehaviors')), (one) =>
      behavior(field(one, 'PathPattern'), field(one, 'ViewerProtocolPolicy')),
    ),
    ...certificate({
      own: [
        given('ViewerCertificate', 'AcmCertificateArn'),
        given('ViewerCertificate', 'IamCertificateId'),
      ],
      isDefault: given('ViewerCertificate', 'CloudFrontDefaultCertificate'),
      version: given('ViewerCertificate', 'MinimumProtocolVersion'),
      support: given('ViewerCertificate', 'SslSupportMethod'),
    }),
    default_root_object: text(given('DefaultRootObject')) || undefined,
    origins: originsOfApi(items(given('Origins')), given('S3Origin'), related),
    origin_failover: some(items(given('OriginGroups')), (group) =>
      isTwo(items(field(group, 'Members')), field(group, 'Members', 'Quantity')),
    ),
    'waf.enabled': isSet(given('WebACLId')),
    'logging.enabled': isSet(given('Logging', 'Bucket')),
  };
}

/** The API wraps lists: `{Quantity, Items}`. */
const items = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isUnknown(value)
    ? (field(value, 'Items') ?? [])
    : value;

const hasBlock = (value: unknown) => isUnknown(value) || (Array.isArray(value) && value.length > 0);

const behavior = (pattern: unknown, policy: unknown) => ({
  path_pattern: pattern ?? '*',
  viewer_protocol_policy: policy ?? 'allow-all',
});

/** Every distribution has a default behavior, also where a document leaves it out. */
function behaviors(first: unknown, others: unknown, read: (one: unknown) => unknown) {
  const more = list(others);
  const start: unknown = Array.isArray(first) ? first[0] : first;
  return isUnknown(more) ? more : [start, ...more].map(read);
}

function certificate(given: {
  readonly own: readonly unknown[];
  readonly isDefault: unknown;
  readonly version: unknown;
  readonly support: unknown;
}) {
  const isCustom = and(or(...given.own.map(isSet)), not(flag(given.isDefault)));
  return {
    custom_certificate: isCustom,
    'tls.minimum_version': isCustom === true ? tlsOfProtocol(given.version) : unknownOf(isCustom),
    'tls.sni': isOneOf(given.support, 'sni-only'),
  };
}

const unknownOf = (value: Maybe<boolean>) => (isUnknown(value) ? value : undefined);

/** `TLSv1.2_2021` is 1.2, `TLSv1_2016` and `SSLv3` are 1.0. */
function tlsOfProtocol(value: unknown): Maybe<string> {
  const written = text(value);
  if (written === undefined || isUnknown(written)) return written;
  return `1.${/^TLSv1\.(\d)/.exec(written)?.[1] ?? '0'}`;
}

interface OriginParts {
  readonly domain: unknown;
  readonly isCustom: boolean;
  readonly identity: unknown;
  readonly control: unknown;
}

const origin = ({ domain, isCustom, identity, control }: OriginParts, related: Related) => ({
  s3: !isCustom && (identity !== undefined || isBucket(domain, related)),
  access_identity: or(isSet(identity), isSet(control)),
});

/** `S3Origin` is how the first templates wrote their one origin. */
function originsOfApi(origins: unknown, oldOrigin: unknown, related: Related) {
  const known = mapList(origins, (one) =>
    origin(
      {
        domain: field(one, 'DomainName'),
        isCustom: field(one, 'CustomOriginConfig') !== undefined,
        identity: field(one, 'S3OriginConfig', 'OriginAccessIdentity'),
        control: field(one, 'OriginAccessControlId'),
      },
      related,
    ),
  );
  if (oldOrigin === undefined || isUnknown(known)) return known;
  const old = { s3: true, access_identity: isSet(field(oldOrigin, 'OriginAccessIdentity')) };
  return [...known, old];
}

/** Whether a host is a bucket's: its own name says so, or the bucket that it is an attribute of. */
function isBucket(domain: unknown, related: Related): unknown {
  const host = isUnknown(domain) ? domain.text : domain;
  if (typeof host === 'string') {
    const isAmazons = /\.amazonaws\.com(\.cn)?$/.test(host);
    return isAmazons && /\.s3[.-]/.test(host) && !host.includes('.s3-website');
  }
  if (!isUnknown(domain)) return false;
  const found = related.find(domain);
  if (found === undefined) return domain;
  return found.type === 'AWS::S3::Bucket' && !/website/i.test(domain.attribute ?? '');
}

/** Members, or how many the document says there are. */
function isTwo(members: unknown, quantity: unknown) {
  const said = number(quantity);
  return or(
    isUnknown(members) ? members : Array.isArray(members) && members.length >= 2,
    isUnknown(said) ? said : Number(said ?? 0) >= 2,
  );
}
