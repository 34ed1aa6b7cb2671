import type { UnknownValue } from '../../../../contract/resources.ts';
import { normaliser } from '../../normaliser.ts';
import { at, isOneOf, isUnknown, readTags, text } from '../../values.ts';
import { planned } from '../plan-value.ts';

const attributesOf = (family: unknown, given: unknown) => {
  const parameters = readTags(given, 'name', 'value');
  return {
    family: text(family),
    parameters,
    'tls.required': requiresTls(family, parameters),
  };
};

/** The parameter that refuses plain text, and the first version of the engine that has it on by itself. */
const tlsParameters: readonly {
  readonly family: RegExp;
  readonly name: string;
  readonly onSince?: number;
  /** From this version on nothing is known of it where it is not set. */
  readonly until?: number;
}[] = [
  { family: /^postgres(\d+(?:\.\d+)?)$/, name: 'rds.force_ssl', onSince: 15 },
  { family: /^aurora-postgresql(\d+(?:\.\d+)?)$/, name: 'rds.force_ssl', until: 17 },
  { family: /^sqlserver-\w+-(\d+)\.0$/, name: 'rds.force_ssl' },
  { family: /^(?:aurora-)?mysql(\d+\.\d+)$/, name: 'require_secure_transport', until: 8.4 },
  { family: /^mariadb(\d+\.\d+)$/, name: 'require_secure_transport', until: 11.8 },
];

function requiresTls(family: unknown, parameters: unknown): boolean | UnknownValue | undefined {
  if (isUnknown(family)) return family;
  const name = text(family);
  if (name === undefined || isUnknown(name)) return name;
  for (const one of tlsParameters) {
    const version = one.family.exec(name.toLowerCase())?.[1];
    if (version === undefined) continue;
    const value = at(parameters, one.name);
    if (value !== undefined) return isOneOf(value, '1', 'on', 'true');
    if (Number(version) >= (one.until ?? Infinity)) return undefined;
    return Number(version) >= (one.onSince ?? Infinity);
  }
  return undefined;
}

export const rdsParameterGroup = normaliser({
  types: ['AWS::RDS::DBParameterGroup', 'AWS::RDS::DBClusterParameterGroup'],
  source: 'Amazon RDS API Reference, API version 2014-10-31',
  attributes: {
    family: {
      type: 'string',
      meaning: 'the engine and its version: `postgres16`, `aurora-mysql8.0`',
      spelling: 'lower',
    },
    parameters: {
      type: 'map<string,string>',
      meaning: 'the values that differ from the defaults of the family, by name',
      absent: {},
    },
    'tls.required': {
      type: 'bool',
      meaning:
        'plain text is refused: `rds.force_ssl` or `require_secure_transport`; PostgreSQL does so by itself from 15 on (RDS User Guide, "Using SSL with a PostgreSQL DB instance"). None for engines without either, and where Aurora PostgreSQL 17, MySQL 8.4, MariaDB 11.8 or newer set none',
    },
  },
  from: {
    cloudformation: ({ properties }) =>
      attributesOf(at(properties, 'Family'), at(properties, 'Parameters')),
    terraform: ({ properties }) =>
      attributesOf(planned(properties, 'family'), planned(properties, 'parameter')),
  },
});
