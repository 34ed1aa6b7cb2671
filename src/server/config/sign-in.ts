import * as z from 'zod';
import { defined } from '../../contract/defined.ts';
import { RoleName } from '../../contract/roles.ts';
import { oneLine } from '../../contract/text.ts';
import { isLoopback } from '../http/address.ts';
import type { CompanyConfig, ServerConfig } from './config.ts';

const ClaimName = z.string().min(1).max(256);
const ClaimValue = z.string().min(1).max(1_024);

const Company = z
  .strictObject({
    /** What people know it by: "Continue with NAME". */
    name: oneLine(64),
    issuer: z
      .string()
      .max(2_048)
      .refine(
        isIssuer,
        'must be an https:// URL without user, query or fragment, such as https://id.example.com',
      ),
    client_id: oneLine(512),
    client_secret: z.string().min(1).max(4_096),
    /** That the provider is asked for. */
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, 'must be a scope name'))
      .max(50)
      .optional(),
    /** What a claim must say: others are turned away. */
    tenant: z.strictObject({ claim: ClaimName, value: ClaimValue }).optional(),
    /** Of a claim that is a list, one entry must be the value. */
    roles: z
      .array(z.strictObject({ claim: ClaimName, value: ClaimValue, role: RoleName }))
      .max(500)
      .optional(),
    /** Whether others than owners may sign in with a password; default true. */
    password: z.boolean().optional(),
    /** Whether admins need a second factor of this server where the provider does not say that it asked for one; default true. */
    require_second_factor: z.boolean().optional(),
  })
  .superRefine(({ issuer, tenant }, context) => {
    const fault = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (!isIssuer(issuer)) return;
    const { hostname, pathname } = new URL(issuer);
    const [, organization = ''] = pathname.split('/');
    if (hostname === 'login.microsoftonline.com' && ofAllOrganizations.has(organization)) {
      fault(
        'issuer',
        'must contain your tenant, because this issuer accepts accounts of every organization: https://login.microsoftonline.com/TENANT_ID/v2.0',
      );
    }
    const isPinned = hostname === google ? tenant?.claim === 'hd' : tenant !== undefined;
    if (ofEverybody.has(hostname) && !isPinned) {
      const example = hostname === google ? 'claim: hd, value: example.com' : 'claim: …, value: …';
      fault(
        'tenant',
        `must be set to your organization, because ${hostname} signs in everyone: {${example}}`,
      );
    }
  });

/** How people sign in. */
export const SignIn = z.strictObject({
  /** Whether devices without a browser may log in by a code; default true. */
  device_codes: z.boolean().optional(),
  company: Company.optional(),
});

/** Paths of Entra ID that are no one organization's; the last one is the tenant of private accounts. */
const ofAllOrganizations = new Set([
  'common',
  'organizations',
  'consumers',
  '9188040d-6c67-4b11-b112-36a304b66dad',
]);

const google = 'accounts.google.com';

/** Providers that have one issuer for all the world. */
const ofEverybody = new Set([
  google,
  'appleid.apple.com',
  'gitlab.com',
  'login.salesforce.com',
  'www.linkedin.com',
]);

/** http is for tests on one machine. */
function isIssuer(text: string): boolean {
  if (!/^https?:\/\/[^\s\\?#@]+$/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

export const signInOf = ({
  device_codes,
  company,
}: z.infer<typeof SignIn>): NonNullable<ServerConfig['sign_in']> =>
  defined({ device_codes, company: company && companyOf(company) });

const companyOf = ({
  name,
  issuer,
  client_id,
  client_secret,
  scopes = ['openid', 'email', 'profile'],
  tenant,
  roles = [],
  password = true,
  require_second_factor = true,
}: z.infer<typeof Company>): CompanyConfig => ({
  name,
  issuer,
  client_id,
  client_secret,
  scopes: [...new Set(['openid', ...scopes])],
  ...(tenant ? { tenant } : {}),
  roles,
  password,
  require_second_factor,
});
