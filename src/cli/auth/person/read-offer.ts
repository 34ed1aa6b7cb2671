import * as z from 'zod';
import { parseJson, readText } from '../../../client/answer.ts';
import type { Transport } from '../../../client/transport.ts';
import type { Scope } from '../../../contract/endpoint.ts';
import { scopes as allScopes } from '../../../contract/endpoint.ts';
import { GovctlError } from '../../../contract/errors.ts';
import { parseToFirstIssue } from '../../../contract/parse-to-first-issue.ts';
import { trimEnd } from '../../../contract/trim-end.ts';
import { tokenPath } from '../../credentials/exchange-token.ts';
import { printableLine } from '../../terminal/printable.ts';

/** What a service offers to people who log in. */
export interface LoginOffer {
  readonly web: boolean;
  readonly device: boolean;
  /** As the service writes it. */
  readonly issuer: string;
  /** The answers that browsers bring name their issuer (RFC 9207). */
  readonly namesIssuer: boolean;
  readonly scopes: readonly Scope[];
}

const path = '/.well-known/oauth-authorization-server';

/** Where the API has them. The document must say the same: no address in an answer is asked. */
export const authorizePath = '/auth/authorize';
export const devicePath = '/auth/device';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** RFC 8414, as far as it is used. */
const Metadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string().optional(),
  token_endpoint: z.string(),
  device_authorization_endpoint: z.string().optional(),
  grant_types_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()).default([]),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
  scopes_supported: z.array(z.string()).optional(),
});

/** Characters of the document; the real one has some 3,000. */
const longestDocument = 256 * 1_024;

/**
 * Which ways to log in the service at this address has for people.
 * @throws GovctlError not_found and its like where it has none, bad_answer for a document that is not to be trusted, unreachable
 */
export async function readOffer(transport: Transport, baseUrl: string): Promise<LoginOffer> {
  const answer = await transport.send('GET', path, { anonymous: true });
  const text = await readText(answer, `GET ${path}`);
  const refuse = (
    why: string,
    hint = 'Log in with an API key, or contact the operator.',
  ): GovctlError =>
    new GovctlError('bad_answer', `${baseUrl} does not support secure login: ${why}`, { hint });
  if (text.length > longestDocument) throw refuse(`${path} is too long`);
  const parsed = parseToFirstIssue(Metadata, parseJson(text, answer, `GET ${path}`));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw refuse(`${issue?.path.join('.') ?? ''} in ${path} is not valid`);
  }
  const { data } = parsed;
  const { issuer, grant_types_supported: grants } = data;
  if (!isSame(issuer, baseUrl)) {
    const shown = printableLine(issuer.slice(0, 200));
    throw refuse(`its issuer is ${shown}`, 'To log in there, pass that URL as --base-url.');
  }
  const check = (name: string, given: string | undefined, at: string): boolean => {
    if (given === undefined) return false;
    if (isSame(given, baseUrl + at)) return true;
    throw refuse(`its ${name} is ${printableLine(given.slice(0, 200))}, not ${baseUrl}${at}`);
  };
  check('token_endpoint', data.token_endpoint, tokenPath);
  const hasPage = check('authorization_endpoint', data.authorization_endpoint, authorizePath);
  const hasCodes = check(
    'device_authorization_endpoint',
    data.device_authorization_endpoint,
    devicePath,
  );
  const known = data.scopes_supported;
  return {
    web:
      hasPage &&
      grants.includes('authorization_code') &&
      data.code_challenge_methods_supported.includes('S256'),
    device: hasCodes && grants.includes(deviceGrant),
    issuer,
    namesIssuer: data.authorization_response_iss_parameter_supported,
    scopes: known ? allScopes.filter((scope) => known.includes(scope)) : allScopes,
  };
}

/** Whether two addresses are the same but for their spelling. */
const isSame = (given: string, expected: string): boolean =>
  URL.canParse(given) && trimEnd(new URL(given).href, '/') === trimEnd(new URL(expected).href, '/');
