import type { UnknownValue } from '../../../contract/resources.ts';
import type { Attribute } from '../normaliser.ts';
import { isUnknown } from '../values.ts';

/** Where a secret's value comes from. The first two can be read by everybody who can read the template or the stack. */
export type SecretSource =
  | 'plaintext'
  | 'parameter'
  | 'secret_parameter'
  | 'secrets_manager'
  | 'ssm_secure'
  | 'managed'
  | 'reference';

/**
 * Where the value of a password or a token comes from. Absent → undefined; a value of which not even that is known
 * stays unknown. `managed` (the service makes the password and keeps it in Secrets Manager) is for the caller to tell,
 * as a switch beside the value says so.
 */
export function secretSource(value: unknown): SecretSource | UnknownValue | undefined {
  if (value === undefined || value === null) return undefined;
  const written = isUnknown(value) ? value.text : typeof value === 'string' ? value : undefined;
  if (written?.includes('{{resolve:secretsmanager:')) return 'secrets_manager';
  if (written?.includes('{{resolve:ssm-secure:')) return 'ssm_secure';
  if (written?.includes('{{resolve:ssm:')) return 'parameter';
  if (!isUnknown(value)) return 'plaintext';
  if (value.parameter) return value.parameter.secret ? 'secret_parameter' : 'parameter';
  return value.target === undefined ? value : 'reference';
}

/** Declares the attribute that `secretSource` gives. `what` reads on from "where": `the master password comes from`. */
export const secretSourceAttribute = (what: string): Attribute => ({
  type: 'string',
  meaning:
    `where ${what} comes from: \`plaintext\`, \`parameter\` (one that is shown), \`secret_parameter\` ` +
    '(NoEcho or sensitive, without a default), `secrets_manager`, `ssm_secure`, `managed` (by the service) or ' +
    '`reference` (another resource)',
});
