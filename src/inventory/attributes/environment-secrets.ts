import { credentialsIn } from './credentials.ts';
import type { Attribute, Normaliser } from './normaliser.ts';
import { at, isUnknown } from './values.ts';

export const environmentSecretsAttribute = {
  environment_secrets: {
    type: 'list<string>',
    meaning:
      'names of environment variables that look like secrets, because of the name (unless it ends in _ARN, _ID, _NAME or _PATH) or a value that contains a credential, such as a URL with a password; missing if there are none',
  },
} as const satisfies Record<string, Attribute>;

/** Attributes of types, with the variables that look like secrets for each type that has variables. */
export const withEnvironmentSecrets = (normalisers: readonly Normaliser[]): Normaliser[] =>
  normalisers.map((one): Normaliser => {
    const names = ['environment_variables', 'containers[].environment_variables'];
    if (!names.some((name) => Object.hasOwn(one.attributes, name))) return one;
    // Azure fetches values that refer to Key Vault: one that is not known may.
    const mayRefer = one.types.some((type) => type.startsWith('Azure::'));
    const from = Object.entries(one.from).map(([format, extract]) => [
      format,
      (...given: Parameters<typeof extract>) => {
        const found = extract(...given);
        return { ...found, environment_secrets: secretsOf(found, mayRefer) };
      },
    ]);
    return {
      ...one,
      attributes: { ...one.attributes, ...environmentSecretsAttribute },
      from: Object.fromEntries(from) as Normaliser['from'],
    };
  });

function secretsOf(found: Readonly<Record<string, unknown>>, mayRefer: boolean) {
  const { containers, environment_variables: own } = found;
  const maps = Array.isArray(containers)
    ? containers.map((one) => at(one, 'environment_variables'))
    : [own];
  const pairs = maps.flatMap((map) =>
    typeof map === 'object' && map !== null && !isUnknown(map) ? Object.entries(map) : [],
  );
  return secretVariables(mayRefer ? pairs.filter(([, value]) => !isUnknown(value)) : pairs);
}

/** The names of those that look like secrets; undefined where none does. */
export function secretVariables(
  pairs: readonly (readonly [string, unknown])[],
): readonly string[] | undefined {
  const names = pairs.filter(([name, value]) => isSecret(name, value)).map(([name]) => name);
  return names.length > 0 ? [...new Set(names)] : undefined;
}

function isSecret(name: string, value: unknown): boolean {
  const text = isUnknown(value) ? value.text : value;
  const written = typeof text === 'string' ? text : '';
  if (reference.test(written)) return false;
  return (secretName.test(name) && !pointerName.test(name)) || credentialsIn(written).length > 0;
}

/** As the library's policies say it in conditions. */
const secretName = /password|passwd|secret|token|api_?key|private_?key/i;
const pointerName = /_(?:arn|id|name|path)$/i;
/** Azure fetches the value from Key Vault or App Configuration. */
const reference = /^@Microsoft\.(?:KeyVault|AppConfiguration)\(/i;
