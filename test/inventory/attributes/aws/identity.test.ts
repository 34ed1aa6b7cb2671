import { describe, expect, test } from 'vitest';
import { Reference, attributesOfItem, attributesOfPlan, attributesOfTemplate } from './twins.ts';
import type { Twins } from './twins.ts';

const document = (action: string) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: action, Resource: '*' }],
});

const statement = (action: string) => ({
  effect: 'Allow',
  principals: [],
  not_principals: [],
  actions: [action],
  not_actions: [],
  resources: ['*'],
  not_resources: [],
  conditions: {},
});

const trust = {
  Statement: {
    Effect: 'Allow',
    Principal: { Service: 'ec2.amazonaws.com' },
    Action: 'sts:AssumeRole',
  },
};

const readOnly = 'arn:aws:iam::aws:policy/ReadOnlyAccess';

const twins: Record<string, Twins & { readonly expected: Record<string, unknown> }> = {
  'a role with policies of its own, and with others that are attached to it': {
    template: {
      It: [
        'AWS::IAM::Role',
        {
          RoleName: 'it',
          AssumeRolePolicyDocument: trust,
          ManagedPolicyArns: [readOnly],
          Policies: [{ PolicyName: 'own', PolicyDocument: document('s3:*') }],
        },
      ],
      Inline: [
        'AWS::IAM::RolePolicy',
        { PolicyName: 'inline', PolicyDocument: document('sqs:*'), RoleName: { Ref: 'It' } },
      ],
      Other: [
        'AWS::IAM::RolePolicy',
        { PolicyName: 'other', PolicyDocument: document('sns:*'), RoleName: { Ref: 'It' } },
      ],
    },
    plan: {
      'aws_iam_role.it': {
        name: 'it',
        assume_role_policy: JSON.stringify(trust),
        inline_policy: [{ name: 'own', policy: JSON.stringify(document('s3:*')) }],
      },
      'aws_iam_role_policy.inline': {
        name: 'inline',
        role: new Reference('aws_iam_role.it.id'),
        policy: JSON.stringify(document('sqs:*')),
      },
      'aws_iam_role_policy.other': {
        name: 'other',
        role: 'it',
        policy: JSON.stringify(document('sns:*')),
      },
      'aws_iam_role_policy_attachment.it': {
        role: new Reference('aws_iam_role.it.name'),
        policy_arn: readOnly,
      },
    },
    expected: {
      trust_policy: {
        statements: [
          {
            ...statement('sts:AssumeRole'),
            principals: ['ec2.amazonaws.com'],
            resources: [],
          },
        ],
      },
      policy: { statements: [statement('s3:*'), statement('sqs:*'), statement('sns:*')] },
      inline_policies: ['own', 'inline', 'other'],
      managed_policy_arns: [readOnly],
    },
  },
  'a user who signs in': {
    template: {
      It: [
        'AWS::IAM::User',
        {
          LoginProfile: {
            Password: '{{resolve:secretsmanager:people:SecretString:it}}',
            PasswordResetRequired: true,
          },
          Groups: ['builders'],
          ManagedPolicyArns: [readOnly],
        },
      ],
      Key: ['AWS::IAM::AccessKey', { UserName: { Ref: 'It' }, Status: 'Inactive' }],
    },
    plan: {
      'aws_iam_user.it': { name: 'it' },
      'aws_iam_user_login_profile.it': {
        user: new Reference('aws_iam_user.it.name'),
        password_reset_required: true,
      },
      'aws_iam_user_group_membership.it': {
        user: new Reference('aws_iam_user.it.name'),
        groups: ['builders'],
      },
      'aws_iam_user_policy_attachment.it': { user: 'it', policy_arn: readOnly },
      'aws_iam_access_key.it': { user: new Reference('aws_iam_user.it.name'), status: 'Inactive' },
    },
    expected: {
      console_access: true,
      login_profile: {
        password: { source: expect.stringMatching(/^(secrets_manager|managed)$/) },
        password_reset_required: true,
      },
      mfa: { enabled: false },
      access_keys: [{ active: false, created_at: 'not known' }],
      groups: ['builders'],
      policy: { statements: [] },
      inline_policies: [],
      managed_policy_arns: [readOnly],
    },
  },
  'a group with an inline policy': {
    template: {
      It: [
        'AWS::IAM::Group',
        { Policies: [{ PolicyName: 'own', PolicyDocument: document('s3:*') }] },
      ],
    },
    plan: {
      'aws_iam_group.it': { name: 'it' },
      'aws_iam_group_policy.own': {
        name: 'own',
        group: new Reference('aws_iam_group.it.name'),
        policy: JSON.stringify(document('s3:*')),
      },
    },
    expected: {
      policy: { statements: [statement('s3:*')] },
      inline_policies: ['own'],
      managed_policy_arns: [],
    },
  },
  'a managed policy that is attached to a user': {
    template: {
      It: ['AWS::IAM::ManagedPolicy', { PolicyDocument: document('*'), Users: ['jo'] }],
    },
    plan: {
      'aws_iam_policy.it': { policy: JSON.stringify(document('*')) },
      'aws_iam_user_policy_attachment.it': {
        user: 'jo',
        policy_arn: new Reference('aws_iam_policy.it.arn'),
      },
    },
    expected: { policy: { statements: [statement('*')] }, users: ['jo'] },
  },
  'an identity pool with guests': {
    template: { It: ['AWS::Cognito::IdentityPool', { AllowUnauthenticatedIdentities: true }] },
    plan: { 'aws_cognito_identity_pool.it': { allow_unauthenticated_identities: true } },
    expected: { unauthenticated_identities: true },
  },
  'a user pool that nobody set a second factor for': {
    template: { It: ['AWS::Cognito::UserPool', {}] },
    plan: { 'aws_cognito_user_pool.it': {} },
    expected: { mfa: { mode: 'OFF' } },
  },
};

describe('identities of AWS have the same attributes in a template and in a plan', () => {
  test.each(Object.entries(twins))('%s', (_name, { template, plan, expected }) => {
    expect(attributesOfTemplate(template)).toEqual(expected);
    expect(attributesOfPlan(plan)).toEqual(expected);
  });
});

test('the ARN of a policy of the same input stays as it is written', () => {
  const policy = { PolicyDocument: document('*') };
  expect(
    attributesOfTemplate({
      It: ['AWS::IAM::Role', { ManagedPolicyArns: [{ Ref: 'Own' }] }],
      Own: ['AWS::IAM::ManagedPolicy', policy],
      Joined: ['AWS::IAM::ManagedPolicy', { ...policy, Roles: [{ Ref: 'It' }] }],
    }).managed_policy_arns,
  ).toEqual(['${Own}', '${Joined}']);
  expect(
    attributesOfPlan({
      'aws_iam_role.it': { name: 'it' },
      'aws_iam_policy.own': {},
      'aws_iam_role_policy_attachment.it': {
        role: 'it',
        policy_arn: new Reference('aws_iam_policy.own.arn'),
      },
    }).managed_policy_arns,
  ).toEqual(['${aws_iam_policy.own.arn}']);
});

test('AWS Config gives documents percent-encoded, and says nothing of passwords and keys', () => {
  expect(
    attributesOfItem([
      'AWS::IAM::Role',
      {
        assumeRolePolicyDocument: encodeURIComponent(JSON.stringify(trust)),
        rolePolicyList: [
          {
            policyName: 'own',
            policyDocument: encodeURIComponent(JSON.stringify(document('s3:*'))),
          },
        ],
        attachedManagedPolicies: [{ policyName: 'ReadOnlyAccess', policyArn: readOnly }],
      },
    ]),
  ).toMatchObject({
    trust_policy: { statements: [{ principals: ['ec2.amazonaws.com'] }] },
    policy: { statements: [statement('s3:*')] },
    inline_policies: ['own'],
    managed_policy_arns: [readOnly],
  });
  expect(
    attributesOfItem(['AWS::IAM::User', { groupList: ['builders'], userPolicyList: [] }]),
  ).toMatchObject({
    console_access: 'not known',
    mfa: { enabled: 'not known' },
    access_keys: 'not known',
    groups: ['builders'],
    inline_policies: [],
  });
  expect(
    attributesOfItem([
      'AWS::IAM::Policy',
      {
        policyVersionList: [
          {
            isDefaultVersion: false,
            document: encodeURIComponent(JSON.stringify(document('s3:*'))),
          },
          {
            isDefaultVersion: true,
            document: encodeURIComponent(JSON.stringify(document('ec2:*'))),
          },
        ],
      },
    ]),
  ).toMatchObject({ policy: { statements: [statement('ec2:*')] } });
});

test.each([
  ['a parameter without a default', { Type: 'String' }, 'parameter'],
  ['a NoEcho parameter', { Type: 'String', NoEcho: true }, 'secret_parameter'],
  [
    'a NoEcho parameter with a default',
    { Type: 'String', NoEcho: true, Default: 'x' },
    'plaintext',
  ],
])('the password of a directory that is %s is told by its source', (_title, parameter, source) => {
  const attributes = attributesOfTemplate(
    { It: ['AWS::DirectoryService::MicrosoftAD', { Password: { Ref: 'Password' } }] },
    { Password: parameter },
  );
  expect(attributes).toEqual({ admin_password: { source } });
});

test('statements of a policy that is judged by itself say so', () => {
  const attributes = attributesOfTemplate({
    It: ['AWS::IAM::Role', { Policies: [{ PolicyName: 'own', PolicyDocument: document('s3:*') }] }],
    Beside: [
      'AWS::IAM::Policy',
      { PolicyName: 'beside', PolicyDocument: document('sqs:*'), Roles: [{ Ref: 'It' }] },
    ],
  });
  expect(attributes).toMatchObject({
    policy: {
      statements: [statement('s3:*'), { ...statement('sqs:*'), declared_by: 'AWS::IAM::Policy' }],
    },
    inline_policies: ['own', 'beside'],
  });
});

test('a policy whose users only a parameter gives is attached to somebody', () => {
  const attributes = attributesOfTemplate(
    { It: ['AWS::IAM::ManagedPolicy', { Users: { Ref: 'People' } }] },
    { People: { Type: 'CommaDelimitedList' } },
  );
  expect(attributes['users']).toHaveLength(1);
});
