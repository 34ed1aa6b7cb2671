import { oneLine } from '../../../contract/text.ts';
import { Email } from '../../../contract/users.ts';
import type { CompanyConfig, RoleRule } from '../../config/config.ts';

/** What an ID token says of an account. */
export interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** The texts that a claim has: itself, or its entries. Of an email address that is not verified, anybody may be the owner. */
function textsOf(claims: Claims, claim: string): readonly string[] {
  if (!Object.hasOwn(claims, claim)) return [];
  if (claim === 'email' && !isEmailVerified(claims)) return [];
  const value = claims[claim];
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return entries.flatMap((one) =>
    typeof one === 'string' ? [one] : typeof one === 'boolean' ? [String(one)] : [],
  );
}

/** Some providers write it as a text; `xms_edov` is what Entra ID has in its place. */
const isEmailVerified = ({ email_verified: verified, xms_edov: owned }: Claims): boolean =>
  [verified, owned].some((one) => one === true || one === 'true' || one === '1' || one === 1);

export const isOfTenant = (claims: Claims, tenant: CompanyConfig['tenant']): boolean =>
  tenant === undefined || textsOf(claims, tenant.claim).includes(tenant.value);

/** The roles that rules give, each once. */
export const rolesByRules = (claims: Claims, rules: readonly RoleRule[]): readonly string[] => [
  ...new Set(
    rules.flatMap(({ claim, value, role }) =>
      textsOf(claims, claim).includes(value) ? [role] : [],
    ),
  ),
];

export const verifiedEmail = (claims: Claims): string | undefined =>
  Email.safeParse(textsOf(claims, 'email')[0]).data;

export const nameOf = ({ name }: Claims): string | undefined => oneLine(256).safeParse(name).data;

/** What the person knows their account by. */
export const accountNameOf = (claims: Claims): string => {
  const { email, preferred_username: username, sub } = claims;
  const named = [email, username].find((one) => oneLine(256).safeParse(one).success);
  return typeof named === 'string' ? named : sub;
};

/** Classes of authentication that take more than one factor: RFC 9470's examples, OpenID EAP, REFEDS, and the one of Okta. */
const strongClasses = new Set([
  'phr',
  'phrh',
  'https://refeds.org/profile/mfa',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'urn:okta:loa:2fa:any',
]);

/** Whether the provider says that it asked for more than one factor (RFC 8176). */
export const isMultiFactor = (claims: Claims): boolean =>
  textsOf(claims, 'amr').includes('mfa') ||
  textsOf(claims, 'acr').some((one) => strongClasses.has(one));
