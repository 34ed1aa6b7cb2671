import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Attribute } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import type { Maybe } from '../../values.ts';
import { at, isOneOf, isSet, isUnknown, readTags, text, unlike } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const attributesOf = (family: unknown, given: unknown) => {
  const parameters = readTags(given, 'name', 'value');
  return {
    family: text(family),
    parameters,
    'tls.required': requiredByFamily(family, parameters),
  };
};

/** The parameter that refuses plain text, and the first version of the engine that has it on by itself. */
const tlsParameters: readonly {
  readonly engine: RegExp;
  readonly name: string;
  readonly onSince?: number;
  /** From this version on nothing is known of it where it is not set. */
  readonly until?: number;
}[] = [
  { engine: /^postgres$/i, name: 'rds.force_ssl', onSince: 15 },
  { engine: /^aurora-postgresql$/i, name: 'rds.force_ssl', until: 17 },
  { engine: /^sqlserver-\w+$/i, name: 'rds.force_ssl' },
  { engine: /^(?:aurora-)?mysql$/i, name: 'require_secure_transport', until: 8.4 },
  { engine: /^mariadb$/i, name: 'require_secure_transport', onSince: 11.8 },
];

/** Engines that can't be told to refuse plain text by a parameter, or by none that is known here. */
const withoutTlsParameter = /^(?:custom-)?(?:oracle|sqlserver|db2)-|^(?:aurora|neptune|docdb)$/i;

const aboutTls =
  'connections without TLS are rejected, because `rds.force_ssl` or `require_secure_transport` is on, which is the default in PostgreSQL 15 and later and in MariaDB 11.8 and later; unknown if neither is set in Aurora PostgreSQL 17 and later or MySQL 8.4 and later';

/** `postgres16`, `sqlserver-ee-15.0` */
function requiredByFamily(family: unknown, parameters: unknown): Maybe<boolean> {
  const name = text(family);
  if (name === undefined || isUnknown(name)) return name;
  const [, engine, version] = /^([a-z-]{0,40}[a-z])-?(\d[\d.]*)$/i.exec(name) ?? [];
  return engine === undefined
    ? unlike(name, 'a known parameter group family')
    : requiresTls(engine, version, parameters);
}

/** Undefined for engines that can't be told to. */
function requiresTls(
  engine: string,
  version: Maybe<string>,
  parameters: unknown,
): boolean | UnknownValue | undefined {
  const one = tlsParameters.find((known) => known.engine.test(engine));
  if (!one)
    return withoutTlsParameter.test(engine) ? undefined : unlike(engine, 'a known database engine');
  const value = at(parameters, one.name);
  if (value !== undefined) return isOneOf(value, '1', 'on', 'true');
  if (one.onSince === undefined && one.until === undefined) return false;
  const number = isUnknown(version) ? NaN : Number(/^\d+(?:\.\d+)?/.exec(version ?? '')?.[0]);
  if (Number.isNaN(number))
    return isUnknown(version) ? version : noDefault(`${engine} in the version that RDS chooses`);
  return number >= (one.until ?? Infinity)
    ? noDefault(`${engine} ${String(version)}`)
    : number >= (one.onSince ?? Infinity);
}

const noDefault = (what: string): UnknownValue =>
  new UnknownValue(`whether ${what} requires TLS by default`, { present: false });

type Group = 'AWS::RDS::DBParameterGroup' | 'AWS::RDS::DBClusterParameterGroup';

/** What the parameter group of a database says, or the provider's default group, which nobody can change. */
export function ofParameterGroup(
  named: unknown,
  type: Group,
  { engine, version }: { readonly engine: unknown; readonly version: unknown },
  related: Related,
) {
  const group = related.find(named, type);
  return {
    'parameter_group.joined': group !== undefined,
    'tls.required': group ? tlsOf(group) : tlsByDefault(text(named), text(engine), text(version)),
  };
}

const tlsOf = ({ properties }: RawResource): Maybe<boolean> =>
  requiredByFamily(
    field(properties, 'Family') ?? planned(properties, 'family'),
    readTags(field(properties, 'Parameters') ?? planned(properties, 'parameter'), 'name', 'value'),
  );

function tlsByDefault(
  named: Maybe<string>,
  engine: Maybe<string>,
  version: Maybe<string>,
): Maybe<boolean> {
  if (isUnknown(named)) return notInInput;
  if (isSet(named) === true) {
    const [, family] = /^default\.(.+)$/.exec(named ?? '') ?? [];
    return family === undefined ? notInInput : requiredByFamily(family, {});
  }
  if (engine === undefined) return new UnknownValue('the engine of the database');
  return isUnknown(engine) ? engine : requiresTls(engine, version, {});
}

const notInInput = new UnknownValue('a parameter group that is not in this input', {
  present: false,
});

export const parameterGroupAttributes = {
  'tls.required': {
    type: 'bool',
    meaning: `${aboutTls}; read from the parameter group in the same input, or from the default parameter group. Missing for engines without these parameters`,
    source:
      'Amazon RDS User Guide, Using SSL with a PostgreSQL DB instance, Requiring SSL/TLS for all connections to a MariaDB DB instance, as of 2025-11',
  },
  'parameter_group.joined': {
    type: 'bool',
    meaning:
      'the parameter group is in the same input, so policies for parameter groups evaluate it',
    absent: false,
  },
} as const satisfies Record<string, Attribute>;

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
      meaning: 'parameters whose values differ from the defaults of the family, by name',
      absent: {},
    },
    'tls.required': {
      type: 'bool',
      meaning: `${aboutTls}. Missing for engines without these parameters`,
      source:
        'Amazon RDS User Guide, Using SSL with a PostgreSQL DB instance, Requiring SSL/TLS for all connections to a MariaDB DB instance, as of 2025-11',
    },
  },
  from: {
    cloudformation: ({ properties }) =>
      attributesOf(at(properties, 'Family'), at(properties, 'Parameters')),
    terraform: ({ properties }) =>
      attributesOf(planned(properties, 'family'), planned(properties, 'parameter')),
  },
});
