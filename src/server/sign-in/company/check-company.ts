import { GovctlError } from '../../../contract/errors.ts';
import type { CompanyConfig } from '../../config/config.ts';
import type { Reader } from '../../store/store.ts';
import { knownRoles } from '../../users/service.ts';

/** Looks at what only the running server knows. @throws GovctlError invalid_file */
export async function checkCompany(
  reader: Reader,
  { issuer, roles }: CompanyConfig,
  isLocal: boolean,
): Promise<void> {
  if (issuer.startsWith('http:') && !isLocal) {
    throw new GovctlError(
      'invalid_file',
      `sign_in.company.issuer in --config must begin with https://, not ${issuer}`,
      {
        hint: 'Use an https:// issuer. http:// works only on a server that no other machine can reach.',
      },
    );
  }
  const names = [...new Set(roles.map(({ role }) => role))];
  const known = await knownRoles(reader, names);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new GovctlError(
    'invalid_file',
    `sign_in.company.roles in --config contains unknown roles: ${unknown.join(', ')}`,
    {
      hint: 'Run `govctl role list` to list roles. Create a role with `govctl role create` before you use it here.',
    },
  );
}
