import type { Normaliser } from '../normaliser.ts';
import { cognitoIdentityPool, cognitoUserPool } from './identity/cognito.ts';
import { iamGroup } from './identity/iam-group.ts';
import { iamPolicies } from './identity/iam-policies.ts';
import { iamRole } from './identity/iam-role.ts';
import { iamUser } from './identity/iam-user.ts';
import { microsoftAd } from './identity/microsoft-ad.ts';
import { resourcePolicy } from './resource-policy.ts';

export const identity: readonly Normaliser[] = [
  iamPolicies,
  resourcePolicy('AWS::IAM::RolePolicy', 'what the role may do'),
  resourcePolicy('AWS::IAM::UserPolicy', 'what the user may do'),
  resourcePolicy('AWS::IAM::GroupPolicy', 'what the members of the group may do'),
  iamRole,
  iamUser,
  iamGroup,
  cognitoIdentityPool,
  cognitoUserPool,
  microsoftAd,
];
