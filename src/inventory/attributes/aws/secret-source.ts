import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource, ValueOrigin } from '../../model.ts';
import type { Attribute } from '../normaliser.ts';
import { isUnknown } from '../values.ts';
import { planned } from './plan-value.ts';

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
export function secretSource(
  value: unknown,
  origins: readonly ValueOrigin[] = [],
): SecretSource | UnknownValue | undefined {
  if (value === undefined || value === null) return undefined;
  if (origins.length > 0) return sourceOfOrigins(origins);
  const written = isUnknown(value) ? value.text : typeof value === 'string' ? value : undefined;
  if (written?.includes('{{resolve:secretsmanager:')) return 'secrets_manager';
  if (written?.includes('{{resolve:ssm-secure:')) return 'ssm_secure';
  if (written?.includes('{{resolve:ssm:')) return 'parameter';
  if (!isUnknown(value)) return 'plaintext';
  if (value.parameter) return value.parameter.secret ? 'secret_parameter' : 'parameter';
  return value.target === undefined ? value : 'reference';
}

/** The same of a value of a plan, at a path of names. */
export const plannedSecretSource = (raw: RawResource, ...path: readonly string[]) =>
  secretSource(planned(raw.properties, ...path), raw.originsOf?.(...path));

/** The source of what a plan made of these; a plan shows the value, which says nothing about where it was kept. */
function sourceOfOrigins(origins: readonly ValueOrigin[]): SecretSource | UnknownValue {
  const types = origins.flatMap((one) => ('type' in one ? [one.type] : []));
  if (types.some((type) => type.startsWith('aws_secretsmanager_'))) return 'secrets_manager';
  if (types.includes('aws_ssm_parameter')) return 'ssm_secure';
  if (types.includes('local')) return new UnknownValue('a local value', { present: true });
  const variables = origins.flatMap((one) => ('variable' in one ? [one] : []));
  if (variables.some(({ hasDefault }) => hasDefault)) return 'plaintext';
  if (variables.some(({ sensitive }) => !sensitive)) return 'parameter';
  return types.length > 0 ? 'reference' : 'secret_parameter';
}

/** Declares the attribute that `secretSource` gives. `what` reads on from "where": `the master password comes from`. */
export const secretSourceAttribute = (what: string): Attribute => ({
  type: 'string',
  meaning:
    `where ${what} comes from: \`plaintext\`, \`parameter\` (one that is shown), \`secret_parameter\` ` +
    '(NoEcho or sensitive, without a default), `secrets_manager`, `ssm_secure`, `managed` (by the service) or ' +
    '`reference` (another resource)',
});
