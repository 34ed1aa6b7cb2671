import { UnknownValue } from '../../../contract/resources.ts';
import type { GivenBy, RawResource, ValueOrigin } from '../../model.ts';
import type { Attribute } from '../normaliser.ts';
import { isUnknown } from '../values.ts';
import { planned } from './plan-value.ts';

/** Where a secret's value comes from. The first two can be read by everybody who can read the template or the stack. */
type SecretSource = (typeof secretSources)[number];

const secretSources = [
  'plaintext',
  'parameter',
  'secret_parameter',
  'secrets_manager',
  'ssm_secure',
  'managed',
  'reference',
] as const;

/** What is told of a secret: undefined where none is set. */
type Told = SecretSource | UnknownValue | undefined;

/**
 * Where the value of a password or a token of a template comes from. Absent → undefined; a value of which not even that is
 * known stays unknown. `managed` (the service makes the password and keeps it in Secrets Manager) is for the caller to tell,
 * as a switch beside the value says so.
 */
export function secretSource(value: unknown): Told {
  if (value === undefined || value === null) return undefined;
  const written = isUnknown(value) ? value.text : typeof value === 'string' ? value : undefined;
  if (written?.includes('{{resolve:secretsmanager:')) return 'secrets_manager';
  if (written?.includes('{{resolve:ssm-secure:')) return 'ssm_secure';
  if (written?.includes('{{resolve:ssm:')) return 'parameter';
  if (!isUnknown(value)) return 'plaintext';
  if (value.parameter) return value.parameter.secret ? 'secret_parameter' : 'parameter';
  return value.target !== undefined || madeByAzure.test(value.expression) ? 'reference' : value;
}

/** What Azure makes in a deployment, or asks one of its resources for. */
const madeByAzure = /\b(?:newGuid|reference|getSecret|list\w*)\s*\(/i;

/** The same of a value of a plan, at a path of names. */
export const plannedSecretSource = (raw: RawResource, ...path: readonly string[]): Told =>
  plannedSecretSources(raw, ...path)[0];

/** The same of all values at a path that leads through lists and repeated blocks. */
export function plannedSecretSources(
  raw: RawResource,
  ...path: readonly string[]
): Exclude<Told, undefined>[] {
  const written = valuesAt(raw.properties, path).map((value) =>
    sourceOfPlanned(value, raw.givenBy?.(...path)),
  );
  // A plan has no value of a write-only argument, but its expression.
  const writeOnly = (raw.givenBy?.(...path.slice(0, -1), `${path.at(-1)}_wo`) ?? []).map(
    ({ constant, origins, ofWhole }) => {
      if (ofWhole) return undefined; // no map has one
      return constant === undefined ? sourceOfOrigins(origins) : secretSource(constant);
    },
  );
  return [...written, ...writeOnly].filter((one) => one !== undefined);
}

/** The values at a path, those of all items of lists on the way. */
export function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  const [name, ...rest] = path;
  if (Array.isArray(value)) return value.flatMap((item: unknown) => valuesAt(item, path));
  if (name === undefined) return value === undefined || value === null ? [] : [value];
  return valuesAt(planned(value, name), rest);
}

/** A plan shows the value, which says nothing about where it was kept: its expression does. A state has none. */
function sourceOfPlanned(value: unknown, given: readonly GivenBy[] | undefined): Told {
  if (!isUnknown(value) && given?.some(({ constant }) => isOrHas(constant, value))) {
    return 'plaintext';
  }
  const made = given?.filter(({ constant }) => constant === undefined) ?? [];
  if (made.length === 0) {
    return isUnknown(value)
      ? secretSource(value)
      : new UnknownValue('where the secret comes from, which the input does not show');
  }
  const sources = made.map(({ origins, ofWhole }) =>
    ofWhole ? sourceInMap(origins) : sourceOfOrigins(origins, isUnknown(value)),
  );
  const [first] = sources;
  return sources.every((one) => one === first)
    ? first
    : new UnknownValue('a secret in one of several blocks');
}

const isOrHas = (constant: unknown, value: unknown): boolean =>
  constant === value || (Array.isArray(constant) && constant.includes(value));

/** Of a map, nobody knows which of its origins a secret in it has: a secret one, where there is any. */
function sourceInMap(origins: readonly ValueOrigin[]): Told {
  if (origins.some((one) => 'variable' in one && one.sensitive)) return 'secret_parameter';
  const source = sourceOfOrigins(origins);
  return source === 'reference' ? new UnknownValue('a value of a computed map') : source;
}

/** The source of what is made of these. A value that is known although a resource is part of it may be a variable's. */
function sourceOfOrigins(origins: readonly ValueOrigin[], isMade = true): Told {
  const types = origins.flatMap((one) => ('type' in one ? [one.type] : []));
  if (types.some((type) => type.startsWith('aws_secretsmanager_'))) return 'secrets_manager';
  if (types.includes('aws_ssm_parameter')) return 'ssm_secure';
  if (types.includes('local')) return new UnknownValue('a local value', { present: true });
  if (isMade && types.length > 0) return 'reference';
  if (types.some((type) => type.endsWith('_password'))) return 'reference';
  const variables = origins.flatMap((one) => ('variable' in one ? [one] : []));
  if (variables.some(({ hasDefault }) => hasDefault)) return 'plaintext';
  if (variables.some(({ sensitive }) => !sensitive)) return 'parameter';
  return types.length > 0 ? 'reference' : 'secret_parameter';
}

/** Declares the attribute that `secretSource` gives. `what` reads on from "where": `the master password comes from`. */
export const secretSourceAttribute = (what: string): Attribute => ({
  type: 'string',
  spelling: secretSources,
  meaning:
    `where ${what} comes from: \`plaintext\`, \`parameter\` (one that is not secret), \`secret_parameter\` ` +
    '(NoEcho or sensitive, without a default), `secrets_manager`, `ssm_secure`, `managed` (by the service) or ' +
    '`reference` (another resource)',
});
