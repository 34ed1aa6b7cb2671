import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, eitherWord, flag, isGiven, isUnknown, list, mapList, text } from '../../values.ts';
import { configuration, notRecorded } from '../config-item.ts';
import { planned } from '../plan-value.ts';
import { asWritten } from '../policy-document.ts';
import { secretSource, secretSourceAttribute } from '../secret-source.ts';
import {
  itemPolicies,
  planPolicies,
  policyAttributes,
  templatePolicies,
  user,
} from './iam-holder.ts';

export const iamUser = normaliser({
  types: ['AWS::IAM::User'],
  source: 'AWS IAM API Reference, API version 2010-05-08',
  attributes: {
    console_access: { type: 'bool', meaning: 'the user has a console password', absent: false },
    'login_profile.password.source': secretSourceAttribute('the console password'),
    'login_profile.password_reset_required': {
      type: 'bool',
      meaning: 'the user must change the password at first sign-in',
      absent: false,
    },
    'mfa.enabled': { type: 'bool', meaning: 'an MFA device is registered', absent: false },
    access_keys: {
      type: 'list',
      meaning:
        'access keys of the user, from AWS::IAM::AccessKey resources or the credential report',
      absent: [],
    },
    'access_keys[].active': { type: 'bool', meaning: 'the access key is active', absent: true },
    'access_keys[].created_at': {
      type: 'timestamp',
      meaning: 'creation time of the access key; unknown if a template creates the key',
    },
    groups: { type: 'list<string>', meaning: 'groups that the user belongs to', absent: [] },
    ...policyAttributes('the user'),
  },
  arguments: {
    Groups: 'aws_iam_user_group_membership',
    'LoginProfile.Password': 'aws_iam_user_login_profile',
    'LoginProfile.PasswordResetRequired': 'password_reset_required of aws_iam_user_login_profile',
  },
  from: {
    cloudformation: (raw, related) => {
      const profile = at(raw.properties, 'LoginProfile');
      return {
        console_access: isGiven(profile),
        'login_profile.password.source': secretSource(at(profile, 'Password')),
        'login_profile.password_reset_required': flag(at(profile, 'PasswordResetRequired')),
        'mfa.enabled': related.referring(raw, 'AWS::IAM::VirtualMFADevice', user.many).length > 0,
        access_keys: related
          .referring(raw, 'AWS::IAM::AccessKey', user.one)
          .map((key) => accessKey(key, at(key.properties, 'Status'), undefined)),
        groups: [
          ...items(at(raw.properties, 'Groups')),
          ...related
            .referring(raw, 'AWS::IAM::UserToGroupAddition', user.many)
            .map(({ properties }) => properties.GroupName),
        ].map(asWritten),
        ...templatePolicies(raw, user, related),
      };
    },
    terraform: (raw, related) => {
      const [profile] = related.referring(raw, 'AWS::IAM::UserLoginProfile', user.oneOfPlan);
      return {
        console_access: profile ? true : raw.exists ? passwordElsewhere : false,
        // AWS makes the password and gives it to Terraform.
        'login_profile.password.source': profile && 'managed',
        'login_profile.password_reset_required': flag(
          planned(profile?.properties, 'password_reset_required'),
        ),
        access_keys: related
          .referring(raw, 'AWS::IAM::AccessKey', user.oneOfPlan)
          .map((key) =>
            accessKey(
              key,
              planned(key.properties, 'status'),
              planned(key.properties, 'create_date'),
            ),
          ),
        'mfa.enabled': raw.exists ? notInState : undefined,
        groups: [
          ...related
            .referring(raw, 'AWS::IAM::UserGroupMembership', user.oneOfPlan)
            .flatMap(({ properties }) => items(properties.groups)),
          ...related
            .referring(raw, 'AWS::IAM::GroupMembership', user.manyOfPlan)
            .map(({ properties }) => properties.group),
        ].map(asWritten),
        ...planPolicies(raw, user, related),
      };
    },
    'aws-config': (raw) => ({
      console_access: notRecorded('whether the user has a password'),
      'mfa.enabled': notRecorded('whether the user has an MFA device'),
      access_keys: notRecorded('the access keys of the user'),
      groups: mapList(configuration(raw, 'groupList'), text),
      ...itemPolicies(raw, user),
    }),
  },
});

const passwordElsewhere = new UnknownValue(
  'whether an existing user has a password, which is not in this input',
);

/** Terraform does not register devices for users. */
const notInState = new UnknownValue(
  'whether the user has an MFA device, which Terraform does not show',
);

const accessKey = (key: RawResource, status: unknown, createdAt: unknown) => ({
  active: eitherWord(status ?? 'Active', ['Active'], ['Inactive', 'Expired']),
  created_at: text(createdAt) ?? new UnknownValue(`the time at which ${key.address} is created`),
});

const items = (value: unknown): unknown[] => {
  const all = list(value);
  return isUnknown(all) ? [all] : all;
};
