import { typeKey } from '../../../contract/resources.ts';
import { azureType } from '../azure/types.ts';
import { awsServices, awsTypes } from './aws-types.ts';
import { azureTypes } from './azure-types.ts';
import { googleServices, googleTypes } from './google-types.ts';

/**
 * The type that policies know a Terraform type by. The tables of exceptions are in `aws-types.ts`, `azure-types.ts` and
 * `google-types.ts`; what they don't hold follows a rule, so that no type is lost. Other providers' types become
 * `<Provider>::<Thing>`: `datadog_monitor` is `Datadog::Monitor`.
 */
export function resourceType(
  terraformType: string,
  values: Readonly<Record<string, unknown>>,
): string {
  const [provider = '', ...words] = terraformType.split('_');
  switch (provider) {
    case 'aws':
      return awsKind(terraformType, values) ?? own(awsTypes, terraformType) ?? awsType(words);
    case 'google':
      return own(googleTypes, terraformType) ?? `GCP::${named(words, googleServices, 1)}`;
    case 'azurerm':
      return (
        own(azureTypes, terraformType) ??
        typeOfOtherId(values['id']) ??
        `Azure::Azurerm::${words.join('_')}`
      );
    case 'azapi':
      return typeof values['type'] === 'string'
        ? azureType(values['type'].split('@')[0] ?? '')
        : `Azure::Azapi::${words.join('_')}`;
    default:
      return words.length === 0
        ? `Terraform::${pascal([provider])}`
        : `${pascal([provider])}::${pascal(words)}`;
  }
}

/** Resources that are one of several things, which they have in the field `type`. */
const awsKinds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  aws_directory_service_directory: {
    ADConnector: 'AWS::DirectoryService::ADConnector',
    MicrosoftAD: 'AWS::DirectoryService::MicrosoftAD',
  },
  aws_security_group_rule: {
    egress: 'AWS::EC2::SecurityGroupEgress',
    ingress: 'AWS::EC2::SecurityGroupIngress',
  },
};

const awsKind = (terraformType: string, { type }: Readonly<Record<string, unknown>>) =>
  typeof type === 'string' && Object.hasOwn(awsKinds, terraformType)
    ? own(awsKinds[terraformType] ?? {}, type)
    : undefined;

const awsType = (words: readonly string[]): string =>
  words.length === 1 ? `AWS::EC2::${pascal(words)}` : `AWS::${named(words, awsServices, 1)}`;

/** `<Service>::<Thing>`, by the longest run of words that the table has, else the first `fallback` words. */
function named(
  words: readonly string[],
  services: Readonly<Record<string, string>>,
  fallback: number,
): string {
  for (let count = words.length; count > 0; count--) {
    const service = own(services, words.slice(0, count).join('_'));
    // A type that is its service's name only (`aws_cloudtrail`) keeps it as the thing's name too.
    const thing = words.slice(count).length > 0 ? words.slice(count) : words;
    if (service !== undefined) return `${service}::${pascal(thing)}`;
  }
  const rest = words.slice(fallback);
  return `${pascal(words.slice(0, fallback))}::${pascal(rest.length > 0 ? rest : words)}`;
}

/**
 * The type in an ID. All of Terraform's types that are a whole resource of a type in the table are in it: another one with
 * such an ID (`azurerm_storage_account_network_rules`) is a part of that resource.
 */
function typeOfOtherId(id: unknown): string | undefined {
  const type = azureTypeOfId(id);
  return type === undefined || wholeTypes.has(typeKey(type)) ? undefined : type;
}

const wholeTypes: ReadonlySet<string> = new Set(Object.values(azureTypes).map(typeKey));

/** The type in an Azure resource id: its last provider's namespace and every second segment after it. */
function azureTypeOfId(id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined;
  const segments = id.split('/');
  const at = segments.findLastIndex((segment) => segment.toLowerCase() === 'providers');
  const [namespace, ...rest] = at < 0 ? [] : segments.slice(at + 1);
  const types = rest.filter((_, index) => index % 2 === 0);
  return namespace && types.length > 0 ? azureType([namespace, ...types].join('/')) : undefined;
}

const pascal = (words: readonly string[]): string =>
  words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');

const own = (table: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;
