import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, isUnknown, text } from '../../values.ts';
import { configuration } from '../config-item.ts';
import { asWritten, readStatements } from '../policy-document.ts';
import {
  itemPolicies,
  planPolicies,
  policyAttributes,
  role,
  templatePolicies,
} from './iam-holder.ts';

export const iamRole = normaliser({
  types: ['AWS::IAM::Role'],
  source: 'AWS IAM API Reference, API version 2010-05-08',
  attributes: {
    'trust_policy.statements': {
      type: 'list<Statement>',
      meaning: 'AssumeRolePolicyDocument',
      absent: [],
    },
    ...policyAttributes('the role'),
  },
  from: {
    cloudformation: (raw, related) => ({
      'trust_policy.statements': trust(at(raw.properties, 'AssumeRolePolicyDocument'), related),
      ...templatePolicies(raw, role, related),
    }),
    terraform: (raw, related) => ({
      'trust_policy.statements': trust(at(raw.properties, 'assume_role_policy'), related),
      ...planPolicies(raw, role, related),
    }),
    'aws-config': (raw) => ({
      'trust_policy.statements': readStatements(configuration(raw, 'assumeRolePolicyDocument')),
      ...itemPolicies(raw, role),
    }),
  },
});

const trust = (document: unknown, related: Related) =>
  readStatements(document, undefined, (value) => providerArn(value, related) ?? asWritten(value));

/**
 * The ARN of an OIDC provider of the same input, as far as it is known before the deployment: it ends with its URL.
 * "Create an OpenID Connect (OIDC) identity provider in IAM", IAM User Guide.
 */
function providerArn(value: unknown, related: Related): unknown {
  if (!isUnknown(value) || value.text !== undefined) return undefined;
  const provider = related.find(value, 'AWS::IAM::OIDCProvider');
  const url = text(at(provider?.properties, 'Url') ?? at(provider?.properties, 'url'));
  return typeof url === 'string'
    ? `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:oidc-provider/${url.replace(/^https:\/\//i, '').replace(/\/$/, '')}`
    : url;
}
