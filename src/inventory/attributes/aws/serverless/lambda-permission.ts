import type { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, flag, isSet, isUnknown, mapList, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import type { Related } from '../../related.ts';

export const lambdaPermission = normaliser({
  types: ['AWS::Lambda::Permission', 'AWS::Lambda::LayerVersionPermission'],
  source: 'AWS Lambda API Reference, API version 2015-03-31',
  attributes: {
    actions: {
      type: 'list<string>',
      meaning: 'allowed actions, such as `lambda:InvokeFunction`',
      absent: [],
    },
    principal: {
      type: 'string',
      meaning: 'principal: `*`, a service such as `sns.amazonaws.com`, an account ID or an ARN',
    },
    principal_kind: {
      type: 'string',
      spelling: ['everybody', 'service', 'account'],
      meaning:
        'kind of the principal: `everybody`, `service` or `account`, which includes the users and roles of an account',
    },
    source_account: { type: 'string', meaning: 'the account on whose behalf a service can act' },
    source_arn: { type: 'string', meaning: 'the resource on whose behalf a service can act' },
    organization_id: { type: 'string', meaning: 'the organization that the caller must belong to' },
    joined: {
      type: 'bool',
      meaning:
        'the permission is only for a function URL without authentication in the same input, so policies for `AWS::Lambda::Url` evaluate it',
      absent: false,
    },
  },
  arguments: {
    Action: 'action',
    OrganizationId: 'organization_id',
    Principal: 'principal',
    PrincipalOrgID: 'principal_org_id',
    SourceAccount: 'source_account',
    SourceArn: 'source_arn',
  },
  from: {
    cloudformation: ({ properties }, related) => ({
      ...read({
        action: at(properties, 'Action'),
        principal: at(properties, 'Principal'),
        account: at(properties, 'SourceAccount'),
        arn: at(properties, 'SourceArn'),
        organization: at(properties, 'PrincipalOrgID') ?? at(properties, 'OrganizationId'),
      }),
      joined: opensUrl(related, {
        action: at(properties, 'Action'),
        auth: at(properties, 'FunctionUrlAuthType'),
        byUrl: at(properties, 'InvokedViaFunctionUrl'),
        target: at(properties, 'FunctionName'),
      }),
    }),
    terraform: ({ properties }, related) => ({
      ...read({
        action: planned(properties, 'action'),
        principal: planned(properties, 'principal'),
        account: planned(properties, 'source_account'),
        arn: planned(properties, 'source_arn'),
        organization:
          planned(properties, 'principal_org_id') ?? planned(properties, 'organization_id'),
      }),
      joined: opensUrl(related, {
        action: planned(properties, 'action'),
        auth: planned(properties, 'function_url_auth_type'),
        byUrl: planned(properties, 'invoked_via_function_url'),
        target: planned(properties, 'function_name'),
        qualifier: planned(properties, 'qualifier'),
      }),
    }),
  },
});

function read(
  given: Readonly<Record<'action' | 'principal' | 'account' | 'arn' | 'organization', unknown>>,
) {
  return {
    actions: mapList(given.action, text),
    principal: text(given.principal),
    principal_kind: principalKind(given.principal),
    source_account: set(given.account),
    source_arn: set(given.arn),
    organization_id: set(given.organization),
  };
}

interface Opened {
  readonly action: unknown;
  readonly auth: unknown;
  readonly byUrl: unknown;
  readonly target: unknown;
  readonly qualifier?: unknown;
}

/** Whether it lets in nobody but by a URL of the same function in the same input, and the URL asks nobody to sign in. */
function opensUrl(related: Related, { action, auth, byUrl, target, qualifier }: Opened): boolean {
  const onlyByUrl =
    (action === 'lambda:InvokeFunctionUrl' && (auth === 'NONE' || !isSet(auth))) ||
    (action === 'lambda:InvokeFunction' && flag(byUrl) === true);
  const called = onlyByUrl ? related.find(target) : undefined;
  if (!called) return false;
  return related.referring(called, 'AWS::Lambda::Url', urlTarget).some(({ properties }) => {
    const of = at(properties, 'Qualifier') ?? planned(properties, 'qualifier');
    const asked = at(properties, 'AuthType') ?? planned(properties, 'authorization_type');
    return asked === 'NONE' && (of ?? '') === (qualifier ?? '');
  });
}

const urlTarget = ({ properties }: RawResource): unknown =>
  at(properties, 'TargetFunctionArn') ?? planned(properties, 'function_name');

/** Terraform writes an empty text for what is not set. */
const set = (value: unknown) => (value === '' ? undefined : text(value));

function principalKind(principal: unknown): string | UnknownValue | undefined {
  if (isUnknown(principal)) {
    const ofAccount =
      principal.target !== undefined ||
      /AWS::AccountId|aws_caller_identity/.test(principal.expression);
    return kindOfText(principal.text ?? '') ?? (ofAccount ? 'account' : principal);
  }
  const written = text(principal);
  return typeof written === 'string' ? (kindOfText(written) ?? 'account') : undefined;
}

const kindOfText = (principal: string): string | undefined => {
  if (principal.includes('*')) return 'everybody';
  if (/\.amazonaws\.com(\.cn)?$/.test(principal)) return 'service';
  return /^arn:/.test(principal) ? 'account' : undefined;
};
